// The table of checked calls (checked_call.hpp): functions with a format.
#include <features.h>

#include "abi/libc/call_extents.hpp"
#include "abi/libc/call_formats.hpp"
#include "abi/libc/checked_call.hpp"
#include "abi/libc/file_effects.hpp"

namespace heddle::abi {

namespace {

/// vasprintf: the new text, and where its address is stored.
void announce_new_text(Call& call) {
  auto** text = call.pointer<char*>(0);
  announce(call, text, sizeof *text, true);
  announce(call, *text, static_cast<std::size_t>(static_cast<std::uint32_t>(call.result)) + 1, true);
}

template <int argument>
using Wide = WideText<argument>;

}  // namespace

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT: the rows have no namespace, like the functions that they define

HEDDLE_CHECKED_VARIADIC(printf, number, 1, vprintf, prints<0>)
HEDDLE_CHECKED_VARIADIC(__printf_chk, number, 2, __vprintf_chk, prints<1>)
HEDDLE_CHECKED_VARIADIC(fprintf, number, 2, vfprintf, prints<1>, writes_stream<0>)
HEDDLE_CHECKED_VARIADIC(__fprintf_chk, number, 3, __vfprintf_chk, prints<2>, writes_stream<0>)
HEDDLE_CHECKED_VARIADIC(dprintf, number, 2, vdprintf, prints<1>, writes_file<0>)
HEDDLE_CHECKED_VARIADIC(__dprintf_chk, number, 3, __vdprintf_chk, prints<2>, writes_file<0>)
HEDDLE_CHECKED_VARIADIC(sprintf, number, 2, vsprintf, prints<1>, writes<PrintedText<0>>)
HEDDLE_CHECKED_VARIADIC(__sprintf_chk, number, 4, __vsprintf_chk, prints<3>, writes<PrintedText<0>>)
HEDDLE_CHECKED_VARIADIC(snprintf, number, 3, vsnprintf, prints<2>, writes<Printed<0, 1>>)
HEDDLE_CHECKED_VARIADIC(__snprintf_chk, number, 5, __vsnprintf_chk, prints<4>, writes<Printed<0, 1>>)
HEDDLE_CHECKED_VARIADIC(asprintf, number, 2, vasprintf, prints<1>, after<announce_new_text>)
HEDDLE_CHECKED_VARIADIC(__asprintf_chk, number, 3, __vasprintf_chk, prints<2>, after<announce_new_text>)
HEDDLE_CHECKED_VARIADIC(syslog, always, 2, vsyslog, prints<1>)
HEDDLE_CHECKED_VARIADIC(__syslog_chk, always, 3, __vsyslog_chk, prints<2>)
HEDDLE_CHECKED_VARIADIC(warn, always, 1, vwarn, prints<0>)
HEDDLE_CHECKED_VARIADIC(warnx, always, 1, vwarnx, prints<0>)
HEDDLE_CHECKED_LIST(vprintf, number, 1, prints<0>)
HEDDLE_CHECKED_LIST(__vprintf_chk, number, 2, prints<1>)
HEDDLE_CHECKED_LIST(vfprintf, number, 2, prints<1>, writes_stream<0>)
HEDDLE_CHECKED_LIST(__vfprintf_chk, number, 3, prints<2>, writes_stream<0>)
HEDDLE_CHECKED_LIST(vdprintf, number, 2, prints<1>, writes_file<0>)
HEDDLE_CHECKED_LIST(__vdprintf_chk, number, 3, prints<2>, writes_file<0>)
HEDDLE_CHECKED_LIST(vsprintf, number, 2, prints<1>, writes<PrintedText<0>>)
HEDDLE_CHECKED_LIST(__vsprintf_chk, number, 4, prints<3>, writes<PrintedText<0>>)
HEDDLE_CHECKED_LIST(vsnprintf, number, 3, prints<2>, writes<Printed<0, 1>>)
HEDDLE_CHECKED_LIST(__vsnprintf_chk, number, 5, prints<4>, writes<Printed<0, 1>>)
HEDDLE_CHECKED_LIST(vasprintf, number, 2, prints<1>, after<announce_new_text>)
HEDDLE_CHECKED_LIST(__vasprintf_chk, number, 3, prints<2>, after<announce_new_text>)
HEDDLE_CHECKED_LIST(vsyslog, always, 2, prints<1>)
HEDDLE_CHECKED_LIST(__vsyslog_chk, always, 3, prints<2>)
HEDDLE_CHECKED_LIST(vwarn, always, 1, prints<0>)
HEDDLE_CHECKED_LIST(vwarnx, always, 1, prints<0>)
HEDDLE_CHECKED_VARIADIC(wprintf, number, 1, vwprintf, prints<0, wchar_t>)
HEDDLE_CHECKED_VARIADIC(__wprintf_chk, number, 2, __vwprintf_chk, prints<1, wchar_t>)
HEDDLE_CHECKED_VARIADIC(fwprintf, number, 2, vfwprintf, prints<1, wchar_t>, writes_stream<0>)
HEDDLE_CHECKED_VARIADIC(__fwprintf_chk, number, 3, __vfwprintf_chk, prints<2, wchar_t>, writes_stream<0>)
HEDDLE_CHECKED_VARIADIC(swprintf, number, 3, vswprintf, prints<2, wchar_t>, writes<Printed<0, 1, wchar_t>>)
HEDDLE_CHECKED_VARIADIC(__swprintf_chk, number, 5, __vswprintf_chk, prints<4, wchar_t>, writes<Printed<0, 1, wchar_t>>)
HEDDLE_CHECKED_LIST(vwprintf, number, 1, prints<0, wchar_t>)
HEDDLE_CHECKED_LIST(__vwprintf_chk, number, 2, prints<1, wchar_t>)
HEDDLE_CHECKED_LIST(__vfwprintf_chk, number, 3, prints<2, wchar_t>, writes_stream<0>)
HEDDLE_CHECKED_LIST(__vswprintf_chk, number, 5, prints<4, wchar_t>, writes<Printed<0, 1, wchar_t>>)
HEDDLE_CHECKED_LIST(vfwprintf, number, 2, prints<1, wchar_t>, writes_stream<0>)
HEDDLE_CHECKED_LIST(vswprintf, number, 3, prints<2, wchar_t>, writes<Printed<0, 1, wchar_t>>)
// The compiler calls the functions whose names begin with __isoc99, unless it compiles old GNU C.
HEDDLE_CHECKED_VARIADIC(sscanf, positive, 2, vsscanf, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_VARIADIC(__isoc99_sscanf, positive, 2, __isoc99_vsscanf, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_VARIADIC(fscanf, positive, 2, vfscanf, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_VARIADIC(__isoc99_fscanf, positive, 2, __isoc99_vfscanf, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_VARIADIC(scanf, positive, 1, vscanf, reads<Text<0>>, scans<0>)
HEDDLE_CHECKED_VARIADIC(__isoc99_scanf, positive, 1, __isoc99_vscanf, reads<Text<0>>, scans<0>)
HEDDLE_CHECKED_LIST(vsscanf, positive, 2, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_LIST(__isoc99_vsscanf, positive, 2, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_LIST(vfscanf, positive, 2, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_LIST(__isoc99_vfscanf, positive, 2, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_LIST(vscanf, positive, 1, reads<Text<0>>, scans<0>)
HEDDLE_CHECKED_LIST(__isoc99_vscanf, positive, 1, reads<Text<0>>, scans<0>)
HEDDLE_CHECKED_VARIADIC(swscanf, positive, 2, vswscanf, reads<Wide<0>>, reads<Wide<1>>, scans<1, wchar_t>)
HEDDLE_CHECKED_VARIADIC(__isoc99_swscanf, positive, 2, __isoc99_vswscanf, reads<Wide<0>>, reads<Wide<1>>,
                        scans<1, wchar_t>)
#if __GLIBC_PREREQ(2, 38)
HEDDLE_CHECKED_VARIADIC(__isoc23_sscanf, positive, 2, __isoc23_vsscanf, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_VARIADIC(__isoc23_fscanf, positive, 2, __isoc23_vfscanf, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_VARIADIC(__isoc23_scanf, positive, 1, __isoc23_vscanf, reads<Text<0>>, scans<0>)
HEDDLE_CHECKED_LIST(__isoc23_vsscanf, positive, 2, reads<Text<0>>, reads<Text<1>>, scans<1>)
HEDDLE_CHECKED_LIST(__isoc23_vfscanf, positive, 2, reads<Text<1>>, scans<1>, reads_stream<0>)
HEDDLE_CHECKED_LIST(__isoc23_vscanf, positive, 1, reads<Text<0>>, scans<0>)
#endif
