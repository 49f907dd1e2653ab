std::vector<std::string> names() { return {"a", "b"}; }
