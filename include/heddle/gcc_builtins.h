/* heddle includes this file first in every source that gcc compiles.
 *
 * gcc announces no access of the calls that it expands in place: __builtin_memcpy and __builtin_memset of a constant
 * size, and what the checked functions of _FORTIFY_SOURCE become. heddle would not see their races. Here they become
 * calls of the C library's functions, which heddle's runtime intercepts. Calls without __builtin_ need no macro: heddle
 * passes -fno-builtin-memcpy and so on for them.
 *
 * __builtin_memcmp, __builtin_strcmp and the like stay as they are: constant expressions may use them. */
#if !defined(HEDDLE_GCC_BUILTINS_H) && !defined(__ASSEMBLER__)
#define HEDDLE_GCC_BUILTINS_H
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC system_header
/* gcc warns that ThreadSanitizer does not know fences; heddle does. */
#pragma GCC diagnostic ignored "-Wtsan"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_CALLS(function) __asm__(#function) __attribute__((__nothrow__))

void* __heddle_memcpy(void*, const void*, __SIZE_TYPE__) HEDDLE_CALLS(memcpy);
void* __heddle_mempcpy(void*, const void*, __SIZE_TYPE__) HEDDLE_CALLS(mempcpy);
void* __heddle_memmove(void*, const void*, __SIZE_TYPE__) HEDDLE_CALLS(memmove);
void* __heddle_memset(void*, int, __SIZE_TYPE__) HEDDLE_CALLS(memset);
void __heddle_bzero(void*, __SIZE_TYPE__) HEDDLE_CALLS(bzero);
char* __heddle_strcpy(char*, const char*) HEDDLE_CALLS(strcpy);
char* __heddle_stpcpy(char*, const char*) HEDDLE_CALLS(stpcpy);
char* __heddle_strncpy(char*, const char*, __SIZE_TYPE__) HEDDLE_CALLS(strncpy);
char* __heddle_strcat(char*, const char*) HEDDLE_CALLS(strcat);
char* __heddle_strncat(char*, const char*, __SIZE_TYPE__) HEDDLE_CALLS(strncat);

void* __heddle_memcpy_chk(void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__memcpy_chk);
void* __heddle_mempcpy_chk(void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__mempcpy_chk);
void* __heddle_memmove_chk(void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__memmove_chk);
void* __heddle_memset_chk(void*, int, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__memset_chk);
char* __heddle_strcpy_chk(char*, const char*, __SIZE_TYPE__) HEDDLE_CALLS(__strcpy_chk);
char* __heddle_stpcpy_chk(char*, const char*, __SIZE_TYPE__) HEDDLE_CALLS(__stpcpy_chk);
char* __heddle_strncpy_chk(char*, const char*, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__strncpy_chk);
char* __heddle_strcat_chk(char*, const char*, __SIZE_TYPE__) HEDDLE_CALLS(__strcat_chk);
char* __heddle_strncat_chk(char*, const char*, __SIZE_TYPE__, __SIZE_TYPE__) HEDDLE_CALLS(__strncat_chk);
int __heddle_sprintf_chk(char*, int, __SIZE_TYPE__, const char*, ...) HEDDLE_CALLS(__sprintf_chk);
int __heddle_snprintf_chk(char*, __SIZE_TYPE__, int, __SIZE_TYPE__, const char*, ...) HEDDLE_CALLS(__snprintf_chk);

#undef HEDDLE_CALLS
#ifdef __cplusplus
}
#endif

#define __builtin_memcpy __heddle_memcpy
#define __builtin_mempcpy __heddle_mempcpy
#define __builtin_memmove __heddle_memmove
#define __builtin_memset __heddle_memset
#define __builtin_bzero __heddle_bzero
#define __builtin_strcpy __heddle_strcpy
#define __builtin_stpcpy __heddle_stpcpy
#define __builtin_strncpy __heddle_strncpy
#define __builtin_strcat __heddle_strcat
#define __builtin_strncat __heddle_strncat
#define __builtin___memcpy_chk __heddle_memcpy_chk
#define __builtin___mempcpy_chk __heddle_mempcpy_chk
#define __builtin___memmove_chk __heddle_memmove_chk
#define __builtin___memset_chk __heddle_memset_chk
#define __builtin___strcpy_chk __heddle_strcpy_chk
#define __builtin___stpcpy_chk __heddle_stpcpy_chk
#define __builtin___strncpy_chk __heddle_strncpy_chk
#define __builtin___strcat_chk __heddle_strcat_chk
#define __builtin___strncat_chk __heddle_strncat_chk
#define __builtin___sprintf_chk __heddle_sprintf_chk
#define __builtin___snprintf_chk __heddle_snprintf_chk

#endif
#endif
