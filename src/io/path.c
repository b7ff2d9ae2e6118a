#include "io/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

char *pmn_path_join(pmn_arena *arena, const char *dir, const char *name)
{
    size_t n_dir = strlen(dir), n_name = strlen(name), total;
    bool slash = n_dir > 0 && dir[n_dir - 1] != '/';
    if (!pmn_add_size(n_dir, n_name, &total) || !pmn_add_size(total, 2, &total)) return NULL;
    char *path = (char *)pmn_arena_alloc(arena, total);
    if (!path) return NULL;
    memcpy(path, dir, n_dir);
    if (slash) path[n_dir++] = '/';
    memcpy(path + n_dir, name, n_name + 1);
    return path;
}

char *pmn_path_joinf(pmn_arena *arena, const char *dir, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return NULL;
    char *name = (char *)pmn_arena_alloc(arena, (size_t)n + 1);
    if (!name) return NULL;
    va_start(args, format);
    vsnprintf(name, (size_t)n + 1, format, args);
    va_end(args);
    return pmn_path_join(arena, dir, name);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool pmn_is_scheme(const char *text, size_t n)
{
    if (n == 0 || !is_letter(text[0])) return false;
    for (size_t i = 1; i < n; i++) {
        char c = text[i];
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return false;
    }
    return true;
}

pmn_slice pmn_path_scheme(const char *path)
{
    const char *colon = strchr(path, ':');
    if (!colon || !pmn_is_scheme(path, (size_t)(colon - path))) return pmn_slice_of(path, 0);
    return pmn_slice_of(path, (size_t)(colon - path));
}

const char *pmn_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
