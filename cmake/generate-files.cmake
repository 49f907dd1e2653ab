# Run after heddle has been linked: writes what the command itself can tell into the folder `output`, which has the layout of
# an installation: manual pages, completions for shells, and files for pkg-config.
#
#   cmake -Dheddle=COMMAND -Doutput=FOLDER -Dbindir=... -Dlibdir=... -Dincludedir=... -Dversion=... -P generate-files.cmake

cmake_policy(VERSION 3.25)

function(write_output file)
  execute_process(COMMAND "${heddle}" ${ARGN} OUTPUT_FILE "${output}/${file}.new" COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME "${output}/${file}.new" "${output}/${file}")
endfunction()

file(MAKE_DIRECTORY "${output}/share/man/man1" "${output}/share/bash-completion/completions"
     "${output}/share/zsh/vendor-completions" "${output}/share/fish/vendor_completions.d" "${output}/${libdir}/pkgconfig")

write_output(share/man/man1/heddle.1 help --man)
execute_process(COMMAND "${heddle}" help --commands OUTPUT_VARIABLE commands OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" commands "${commands}")
foreach(command IN LISTS commands)
  write_output(share/man/man1/heddle-${command}.1 help --man ${command})
endforeach()
write_output(share/bash-completion/completions/heddle help --completion bash)
write_output(share/zsh/vendor-completions/_heddle help --completion zsh)
write_output(share/fish/vendor_completions.d/heddle.fish help --completion fish)

# pkg-config: the prefix is relative to the file, so that the folder can be moved.
file(RELATIVE_PATH up "/prefix/${libdir}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" up "${up}")
set(pc_prefix "\${pcfiledir}/${up}")
set(pc_libdir "\${prefix}/${libdir}")
set(pc_includedir "\${prefix}/${includedir}")
set(pc_bindir "\${prefix}/${bindir}")
foreach(compiler gcc clang)
  execute_process(COMMAND "${heddle}" help --compile-options ${compiler} OUTPUT_VARIABLE options
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" ${compiler}_options "${options}")
endforeach()
# -fno-builtin-... changes nothing with clang, which instruments these functions. Both have -fsanitize=thread and the like.
set(portable_options)
set(gcc_only)
foreach(option IN LISTS gcc_options)
  if(option IN_LIST clang_options OR option MATCHES "^-fno-builtin-")
    list(APPEND portable_options "${option}")
  else()
    list(APPEND gcc_only "${option}")
  endif()
endforeach()
list(REMOVE_ITEM clang_options ${portable_options})
string(JOIN " " portable_options ${portable_options})
configure_file("${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in" "${output}/${libdir}/pkgconfig/heddle.pc" @ONLY)
string(JOIN " " gcc_options ${gcc_only})
string(JOIN " " clang_options ${clang_options})
foreach(compiler gcc clang)
  set(compiler_options "${${compiler}_options}")
  configure_file("${CMAKE_CURRENT_LIST_DIR}/heddle-compiler.pc.in" "${output}/${libdir}/pkgconfig/heddle-${compiler}.pc" @ONLY)
endforeach()
