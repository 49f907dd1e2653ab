// The table of checked calls (checked_call.hpp): streams, files, folders.
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <termios.h>
#include <utime.h>

#include "abi/libc/call_extents.hpp"
#include "abi/libc/checked_call.hpp"
#include "abi/libc/file_effects.hpp"

namespace heddle::abi {

namespace {

/// getline: the buffer, which it may have replaced, and the two objects that describe it.
constexpr Effect reads_line_objects = before<[](Call& call) {
  announce(call, call.pointer<void>(0), sizeof(char*), false);
  announce(call, call.pointer<void>(1), sizeof(std::size_t), false);
}>;
void announce_line(Call& call) {
  auto** line = call.pointer<char*>(0);
  announce(call, line, sizeof *line, true);
  announce(call, call.pointer<void>(1), sizeof(std::size_t), true);
  announce(call, *line, call.result + 1, true);
}

/// The six letters that mkstemp replaces, before a suffix.
template <int suffix>
struct NewLetters {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* name = call.pointer<const char>(0);
    std::size_t end = length_of(name);
    if constexpr (suffix >= 0) end -= static_cast<std::size_t>(static_cast<std::int32_t>(call.number(suffix)));
    visitor(name + end - 6, 6);
  }
};

/// The entry that readdir has returned, in the memory of the open folder.
template <typename Entry>
struct ResultEntry {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* entry = call.result_pointer<const Entry>();
    visitor(entry, entry->d_reclen);
  }
};
/// readdir_r.
struct CopiedEntry {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (const auto* entry = *call.pointer<const dirent*>(2)) visitor(entry, entry->d_reclen);
  }
};
/// getxattr without room for the value only asks for its size.
template <int argument, int room>
struct ResultArrayInRoom {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.number(room) != 0) visitor(call.pointer<const void>(argument), call.result);
  }
};

using Path = Text<0>;
using PathAt = Text<1>;

}  // namespace

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT: the rows have no namespace, like the functions that they define

// ---- streams --------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(puts, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(fputs, always, writes_stream<1>, reads<Text<0>>)
HEDDLE_CHECKED_CALL(fputs_unlocked, always, uses_stream_without_lock<1>, writes_stream<1>, reads<Text<0>>)
HEDDLE_CHECKED_CALL(fputws, always, writes_stream<1>, reads<WideText<0>>)
HEDDLE_CHECKED_CALL(perror, always, reads<Text<0>>)
// Accesses nothing of the program: a handler of a signal must not call it.
HEDDLE_CHECKED_CALL(putchar, always)
HEDDLE_CHECKED_CALL(putc, always, writes_stream<1>)
HEDDLE_CHECKED_CALL(fputc, always, writes_stream<1>)
HEDDLE_CHECKED_CALL(fflush, always, writes_stream<0>)
HEDDLE_CHECKED_CALL(fwrite, always, writes_stream<3>, reads<Matrix<0, 1, 2>>)
HEDDLE_CHECKED_CALL(fwrite_unlocked, always, uses_stream_without_lock<3>, writes_stream<3>, reads<Matrix<0, 1, 2>>)
HEDDLE_CHECKED_CALL(fread, always, reads_stream<3>, writes<ResultMatrix<0, 1>>)
HEDDLE_CHECKED_CALL(fread_unlocked, always, uses_stream_without_lock<3>, reads_stream<3>, writes<ResultMatrix<0, 1>>)
HEDDLE_CHECKED_CALL(__fread_chk, always, reads_stream<4>, writes<ResultMatrix<0, 2>>)
HEDDLE_CHECKED_CALL(__fread_unlocked_chk, always, uses_stream_without_lock<4>, reads_stream<4>,
                    writes<ResultMatrix<0, 2>>)
HEDDLE_CHECKED_CALL(fgets, pointer, reads_stream<2>, writes<Text<0>>)
HEDDLE_CHECKED_CALL(fgets_unlocked, pointer, uses_stream_without_lock<2>, reads_stream<2>, writes<Text<0>>)
HEDDLE_CHECKED_CALL(__fgets_chk, pointer, reads_stream<3>, writes<Text<0>>)
HEDDLE_CHECKED_CALL(__fgets_unlocked_chk, pointer, uses_stream_without_lock<3>, reads_stream<3>, writes<Text<0>>)
HEDDLE_CHECKED_CALL(fgetws, pointer, reads_stream<2>, writes<WideText<0>>)
HEDDLE_CHECKED_CALL(__fgetws_chk, pointer, reads_stream<3>, writes<WideText<0>>)
HEDDLE_CHECKED_CALL(getline, count, reads_stream<2>, reads_line_objects, after<announce_line>)
HEDDLE_CHECKED_CALL(getdelim, count, reads_stream<3>, reads_line_objects, after<announce_line>)
HEDDLE_CHECKED_CALL(__getdelim, count, reads_stream<3>, reads_line_objects, after<announce_line>)
HEDDLE_CHECKED_CALL(fgetc, always, reads_stream<0>)
HEDDLE_CHECKED_CALL(getc, always, reads_stream<0>)
HEDDLE_CHECKED_CALL(putc_unlocked, always, uses_stream_without_lock<1>, writes_stream<1>)
HEDDLE_CHECKED_CALL(fputc_unlocked, always, uses_stream_without_lock<1>, writes_stream<1>)
HEDDLE_CHECKED_CALL(getc_unlocked, always, uses_stream_without_lock<0>, reads_stream<0>)
HEDDLE_CHECKED_CALL(fgetc_unlocked, always, uses_stream_without_lock<0>, reads_stream<0>)
HEDDLE_CHECKED_CALL(ungetc, always, reads_stream<1>)
HEDDLE_CHECKED_CALL(fseek, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(fseeko, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(fseeko64, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(ftell, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(ftello, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(ftello64, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(rewind, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(setvbuf, always, uses_stream<0>)
HEDDLE_CHECKED_CALL(fdopen, always, reads<Text<1>>)
HEDDLE_CHECKED_CALL(fgetpos, zero, uses_stream<0>, writes<Object<1, fpos_t>>)
HEDDLE_CHECKED_CALL(fsetpos, always, uses_stream<0>, reads<Object<1, fpos_t>>)
HEDDLE_CHECKED_CALL(tmpnam_r, pointer, writes<Text<0>>)
HEDDLE_CHECKED_CALL(tempnam, always, reads<Text<0>>, reads<Text<1>>)

// ---- reading and writing at a position
// --------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(pread, count, reads_file_at<0>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(pread64, count, reads_file_at<0>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(__pread_chk, count, reads_file_at<0>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(__pread64_chk, count, reads_file_at<0>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(pwrite, always, writes_file_at<0>, reads<Array<1, 2>>)
HEDDLE_CHECKED_CALL(pwrite64, always, writes_file_at<0>, reads<Array<1, 2>>)
HEDDLE_CHECKED_CALL(preadv, count, reads_file_at<0>, writes<Vectors<1, 2, true>>)
HEDDLE_CHECKED_CALL(preadv64, count, reads_file_at<0>, writes<Vectors<1, 2, true>>)
HEDDLE_CHECKED_CALL(preadv2, count, reads_file_at<0>, writes<Vectors<1, 2, true>>)
HEDDLE_CHECKED_CALL(preadv64v2, count, reads_file_at<0>, writes<Vectors<1, 2, true>>)
HEDDLE_CHECKED_CALL(pwritev, always, writes_file_at<0>, reads<Vectors<1, 2, false>>)
HEDDLE_CHECKED_CALL(pwritev64, always, writes_file_at<0>, reads<Vectors<1, 2, false>>)
HEDDLE_CHECKED_CALL(pwritev2, always, writes_file_at<0>, reads<Vectors<1, 2, false>>)
HEDDLE_CHECKED_CALL(pwritev64v2, always, writes_file_at<0>, reads<Vectors<1, 2, false>>)
HEDDLE_CHECKED_CALL(ftruncate, always, writes_file_at<0>)
HEDDLE_CHECKED_CALL(ftruncate64, always, writes_file_at<0>)
HEDDLE_CHECKED_CALL(posix_fallocate, always, writes_file_at<0>)
HEDDLE_CHECKED_CALL(lseek, always, reads_file<0>)
HEDDLE_CHECKED_CALL(lseek64, always, reads_file<0>)
HEDDLE_CHECKED_CALL(sendfile, count, writes_file<0>, reads_file<1>, reads<Object<2, off_t>>, writes<Object<2, off_t>>)
HEDDLE_CHECKED_CALL(sendfile64, count, writes_file<0>, reads_file<1>, reads<Object<2, off_t>>, writes<Object<2, off_t>>)

// ---- paths
// ------------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(access, always, looks_up<0>, reads<Path>)
HEDDLE_CHECKED_CALL(eaccess, always, looks_up<0>, reads<Path>)
HEDDLE_CHECKED_CALL(euidaccess, always, looks_up<0>, reads<Path>)
HEDDLE_CHECKED_CALL(faccessat, always, looks_up<1>, reads<PathAt>)
HEDDLE_CHECKED_CALL(chmod, always, reads<Path>)
HEDDLE_CHECKED_CALL(fchmodat, always, reads<PathAt>)
HEDDLE_CHECKED_CALL(chown, always, reads<Path>)
HEDDLE_CHECKED_CALL(lchown, always, reads<Path>)
HEDDLE_CHECKED_CALL(fchownat, always, reads<PathAt>)
HEDDLE_CHECKED_CALL(link, always, looks_up<0>, changes_name<1>, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(linkat, always, looks_up<1>, changes_name<3>, reads<Text<1>>, reads<Text<3>>)
HEDDLE_CHECKED_CALL(symlink, always, changes_name<1>, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(symlinkat, always, changes_name<2>, reads<Text<0>>, reads<Text<2>>)
HEDDLE_CHECKED_CALL(rename, always, changes_name<0>, changes_name<1>, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(renameat, always, changes_name<1>, changes_name<3>, reads<Text<1>>, reads<Text<3>>)
HEDDLE_CHECKED_CALL(renameat2, always, changes_name<1>, changes_name<3>, reads<Text<1>>, reads<Text<3>>)
HEDDLE_CHECKED_CALL(remove, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(unlink, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(unlinkat, always, changes_name<1>, reads<PathAt>)
HEDDLE_CHECKED_CALL(rmdir, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(mkdir, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(mkdirat, always, changes_name<1>, reads<PathAt>)
HEDDLE_CHECKED_CALL(mkfifo, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(mkfifoat, always, changes_name<1>, reads<PathAt>)
HEDDLE_CHECKED_CALL(mknod, always, changes_name<0>, reads<Path>)
HEDDLE_CHECKED_CALL(mknodat, always, changes_name<1>, reads<PathAt>)
HEDDLE_CHECKED_CALL(truncate, always, changes_size<0>, reads<Path>)
HEDDLE_CHECKED_CALL(truncate64, always, changes_size<0>, reads<Path>)
HEDDLE_CHECKED_CALL(chroot, always, reads<Path>)
HEDDLE_CHECKED_CALL(pathconf, always, reads<Path>)
HEDDLE_CHECKED_CALL(utime, always, reads<Path>, reads<Object<1, utimbuf>>)
HEDDLE_CHECKED_CALL(utimes, always, reads<Path>, reads<Object<1, timeval, 2>>)
HEDDLE_CHECKED_CALL(lutimes, always, reads<Path>, reads<Object<1, timeval, 2>>)
HEDDLE_CHECKED_CALL(futimes, always, reads<Object<1, timeval, 2>>)
HEDDLE_CHECKED_CALL(utimensat, always, reads<PathAt>, reads<Object<2, timespec, 2>>)
HEDDLE_CHECKED_CALL(futimens, always, reads<Object<1, timespec, 2>>)
HEDDLE_CHECKED_CALL(readlink, count, looks_up<0>, reads<Path>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(__readlink_chk, count, looks_up<0>, reads<Path>, writes<ResultArray<1>>)
HEDDLE_CHECKED_CALL(readlinkat, count, looks_up<1>, reads<PathAt>, writes<ResultArray<2>>)
HEDDLE_CHECKED_CALL(__readlinkat_chk, count, looks_up<1>, reads<PathAt>, writes<ResultArray<2>>)
HEDDLE_CHECKED_CALL(realpath, pointer, looks_up<0>, reads<Path>, writes<Text<1>>)
HEDDLE_CHECKED_CALL(__realpath_chk, pointer, looks_up<0>, reads<Path>, writes<Text<1>>)
HEDDLE_CHECKED_CALL(canonicalize_file_name, always, looks_up<0>, reads<Path>)
HEDDLE_CHECKED_CALL(getcwd, pointer, writes<Text<0>>)
HEDDLE_CHECKED_CALL(__getcwd_chk, pointer, writes<Text<0>>)
HEDDLE_CHECKED_CALL(mkstemp, number, reads<Path>, writes<NewLetters<-1>>)
HEDDLE_CHECKED_CALL(mkstemp64, number, reads<Path>, writes<NewLetters<-1>>)
HEDDLE_CHECKED_CALL(mkostemp, number, reads<Path>, writes<NewLetters<-1>>)
HEDDLE_CHECKED_CALL(mkostemp64, number, reads<Path>, writes<NewLetters<-1>>)
HEDDLE_CHECKED_CALL(mkstemps, number, reads<Path>, writes<NewLetters<1>>)
HEDDLE_CHECKED_CALL(mkostemps, number, reads<Path>, writes<NewLetters<1>>)
HEDDLE_CHECKED_CALL(mkdtemp, pointer, reads<Path>, writes<NewLetters<-1>>)
HEDDLE_CHECKED_CALL(mktemp, always, reads<Path>, writes<Text<0>>)

// ---- what is known of files
// -------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(stat, zero, asks_for_size<0>, reads<Path>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(stat64, zero, asks_for_size<0>, reads<Path>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(lstat, zero, looks_up<0>, reads<Path>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(lstat64, zero, looks_up<0>, reads<Path>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(fstat, zero, reads_file_at<0>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(fstat64, zero, reads_file_at<0>, writes<Object<1, struct stat>>)
HEDDLE_CHECKED_CALL(fstatat, zero, asks_for_size<1>, reads<PathAt>, writes<Object<2, struct stat>>)
HEDDLE_CHECKED_CALL(fstatat64, zero, asks_for_size<1>, reads<PathAt>, writes<Object<2, struct stat>>)
HEDDLE_CHECKED_CALL(statx, zero, asks_for_size<1>, reads<PathAt>, writes<Object<4, struct statx>>)
HEDDLE_CHECKED_CALL(statfs, zero, reads<Path>, writes<Object<1, struct statfs>>)
HEDDLE_CHECKED_CALL(statfs64, zero, reads<Path>, writes<Object<1, struct statfs>>)
HEDDLE_CHECKED_CALL(fstatfs, zero, writes<Object<1, struct statfs>>)
HEDDLE_CHECKED_CALL(fstatfs64, zero, writes<Object<1, struct statfs>>)
HEDDLE_CHECKED_CALL(statvfs, zero, reads<Path>, writes<Object<1, struct statvfs>>)
HEDDLE_CHECKED_CALL(statvfs64, zero, reads<Path>, writes<Object<1, struct statvfs>>)
HEDDLE_CHECKED_CALL(fstatvfs, zero, writes<Object<1, struct statvfs>>)
HEDDLE_CHECKED_CALL(fstatvfs64, zero, writes<Object<1, struct statvfs>>)
HEDDLE_CHECKED_CALL(getxattr, count, reads<Text<0>>, reads<Text<1>>, writes<ResultArrayInRoom<2, 3>>)
HEDDLE_CHECKED_CALL(lgetxattr, count, reads<Text<0>>, reads<Text<1>>, writes<ResultArrayInRoom<2, 3>>)
HEDDLE_CHECKED_CALL(fgetxattr, count, reads<Text<1>>, writes<ResultArrayInRoom<2, 3>>)
HEDDLE_CHECKED_CALL(setxattr, always, reads<Text<0>>, reads<Text<1>>, reads<Array<2, 3>>)
HEDDLE_CHECKED_CALL(lsetxattr, always, reads<Text<0>>, reads<Text<1>>, reads<Array<2, 3>>)
HEDDLE_CHECKED_CALL(fsetxattr, always, reads<Text<1>>, reads<Array<2, 3>>)
HEDDLE_CHECKED_CALL(listxattr, count, reads<Path>, writes<ResultArrayInRoom<1, 2>>)
HEDDLE_CHECKED_CALL(llistxattr, count, reads<Path>, writes<ResultArrayInRoom<1, 2>>)
HEDDLE_CHECKED_CALL(flistxattr, count, writes<ResultArrayInRoom<1, 2>>)
HEDDLE_CHECKED_CALL(removexattr, always, reads<Text<0>>, reads<Text<1>>)

// ---- folders
// ----------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(opendir, always, lists<0>, reads<Path>)
HEDDLE_CHECKED_CALL(readdir, pointer, writes<ResultEntry<dirent>>)
HEDDLE_CHECKED_CALL(readdir64, pointer, writes<ResultEntry<dirent64>>)
HEDDLE_CHECKED_CALL(readdir_r, zero, writes<CopiedEntry>, writes<Object<2, dirent*>>)
HEDDLE_CHECKED_CALL(readdir64_r, zero, writes<CopiedEntry>, writes<Object<2, dirent*>>)
HEDDLE_CHECKED_CALL(scandir, number, lists<0>, reads<Path>, writes<Object<1, dirent**>>)
HEDDLE_CHECKED_CALL(scandir64, number, lists<0>, reads<Path>, writes<Object<1, dirent**>>)
HEDDLE_CHECKED_CALL(glob, zero, lists<0>, reads<Path>, writes<Object<3, glob_t>>)
HEDDLE_CHECKED_CALL(glob64, zero, lists<0>, reads<Path>, writes<Object<3, glob_t>>)
HEDDLE_CHECKED_CALL(globfree, always, writes_first<Object<0, glob_t>>)
HEDDLE_CHECKED_CALL(globfree64, always, writes_first<Object<0, glob_t>>)
HEDDLE_CHECKED_CALL(fnmatch, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(ftw, always, lists<0>, reads<Path>)

// ---- terminals
// --------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(tcgetattr, zero, writes<Object<1, termios>>)
HEDDLE_CHECKED_CALL(tcsetattr, always, reads<Object<2, termios>>)
HEDDLE_CHECKED_CALL(ttyname_r, zero, writes<Text<1>>)
HEDDLE_CHECKED_CALL(__ttyname_r_chk, zero, writes<Text<1>>)
HEDDLE_CHECKED_CALL(ptsname_r, zero, writes<Text<1>>)
HEDDLE_CHECKED_CALL(__ptsname_r_chk, zero, writes<Text<1>>)
