#!/usr/bin/env python3
"""The examples of examples/cluster: the Slurm script runs as a job array would run it, the nightly targets of CMake and meson run, and
the manifests are well-formed and name options that heddle has.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cluster"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import GUARD_SECONDS, Failure, run_checks  # noqa: E402


def call(command, expected=(0,), **options):
    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=GUARD_SECONDS,
                         **options)
    if run.returncode not in expected:
        raise Failure(f"$ {' '.join(map(str, command))}\n{run.stdout}\n[exit code {run.returncode}]")
    return run.stdout


def check_job_array(heddle, folder):
    program = heddle.compile(ROOT / "examples" / "seqlock_broken.cpp", flags=["-std=c++20", "-O2", "-g"])
    environment = {**os.environ, "HEDDLE": str(heddle.command.resolve()), "SHARDS": "3", "RUNS": "300", "SLURM_CPUS_PER_TASK": "2",
                   "LAUNCH": ""}
    script = ["bash", EXAMPLES / "nightly.sbatch", program]
    for task in (1, 2, 3):
        call(script, env={**environment, "SLURM_ARRAY_TASK_ID": str(task)}, cwd=folder)
    call(script, expected=(1,), env={**environment, "SLURM_ARRAY_TASK_ID": "0"}, cwd=folder)
    if json.loads((folder / "nightly" / "result.json").read_text())["executions"] != 300:
        raise Failure("the merge of the job array has not all executions")
    call(["bash", EXAMPLES / "nightly.sbatch"], expected=(1,), cwd=folder)


def check_targets(heddle, folder):
    tools = f"{heddle.command.resolve().parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": tools, "CXX": "heddle-c++"}
    call(["cmake", "-S", EXAMPLES, "-B", folder / "cmake", "-DNIGHTLY_OPTIONS=-n;50", "-G", "Ninja"], env=environment)
    output = call(["cmake", "--build", folder / "cmake", "--target", "nightly"], expected=(0, 1), env=environment)
    if "heddle: 50 executions" not in output or not (folder / "cmake" / "nightly.db").exists():
        raise Failure(f"the target of CMake has not run:\n{output}")
    if shutil.which("meson") is None:
        return
    call(["meson", "setup", folder / "meson", EXAMPLES, "-Dnightly_options=-n,50"], env=environment)
    output = call(["ninja", "-C", folder / "meson", "nightly"], expected=(0, 1), env=environment)
    if "heddle: 50 executions" not in output:
        raise Failure(f"the target of meson has not run:\n{output}")


def check_manifests(heddle):
    known = heddle.run("help", "test").output + heddle.run("help", "merge").output
    for name in ("kubernetes-job.yaml", "ci-matrix.yml", "nightly.sbatch", "mpi.sbatch"):
        text = (EXAMPLES / name).read_text()
        for line in text.replace("\\\n", " ").splitlines():
            command = re.search(r"(?:heddle|\"\$heddle\") (?:test|merge) .*", line)
            for option in re.findall(r" (--[a-z-]+)", command[0]) if command else []:
                if option not in known:
                    raise Failure(f"{name} uses {option}, which heddle does not have")
    try:
        import yaml
    except ImportError:
        return
    job = yaml.safe_load((EXAMPLES / "kubernetes-job.yaml").read_text())
    spec = job["spec"]
    container = spec["template"]["spec"]["containers"][0]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    is_right = (job["apiVersion"] == "batch/v1" and job["kind"] == "Job" and spec["completionMode"] == "Indexed" and
                f"/{spec['completions']} " in container["command"][2] and
                mounted == {volume["name"] for volume in spec["template"]["spec"]["volumes"]})
    workflow = yaml.safe_load((EXAMPLES / "ci-matrix.yml").read_text())
    shards = workflow["jobs"]["shard"]["strategy"]["matrix"]["shard"]
    if not is_right or shards != list(range(1, len(shards) + 1)) or workflow["jobs"]["merge"]["needs"] != "shard":
        raise Failure("a manifest is not what it should be")


def check_all(heddle, folder, arguments):
    check_manifests(heddle)
    check_job_array(heddle, folder)
    check_targets(heddle, folder)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
