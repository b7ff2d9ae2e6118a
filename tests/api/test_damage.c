/* Damaged tables: whatever is flipped, cut or swapped, the answer is rows or an error that says why; never a crash or a hang. The
 * address sanitizer watches in its preset. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

#define MAX_FILES 32

typedef struct file_copy {
    char path[512];
    uint8_t *bytes;
    size_t size;
} file_copy;

static file_copy load(const char *path)
{
    file_copy f = { .bytes = NULL };
    snprintf(f.path, sizeof f.path, "%s", path);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    f.size = (size_t)ftell(in);
    rewind(in);
    f.bytes = malloc(f.size + 1);
    assert_int_equal(fread(f.bytes, 1, f.size, in), f.size);
    fclose(in);
    return f;
}

static void store(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

/* Rows, or "error" with words behind it. */
static void read_damaged(const char *table, const char *what, size_t at)
{
    static const read_request plain, filtered = { .where = "id < 4 OR p = 'y' OR alpha IS NULL", .threads = 2 };
    for (int i = 0; i < 2; i++) {
        char *rows = read_rows(table, i ? &filtered : &plain);
        char *error = strstr(rows, "error");
        if (error && strlen(error) < strlen("error: x\n")) {
            print_error("%s at %zu: '%s'\n", what, at, rows);
            fail();
        }
        free(rows);
    }
}

static void damage(const char *table, const file_copy *f, size_t step)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xff };
    for (size_t at = 0; at < f->size; at += step) {
        uint8_t before = f->bytes[at];
        f->bytes[at] ^= masks[(at / step) % 3];
        store(f->path, f->bytes, f->size);
        f->bytes[at] = before;
        read_damaged(table, f->path, at);
    }
    for (size_t size = 0; size < f->size; size += step * 3 + 1) {
        store(f->path, f->bytes, size);
        read_damaged(table, f->path, size);
    }
    store(f->path, f->bytes, f->size);
}

static size_t list_files(const char *table, const char *folder, file_copy *out, size_t max)
{
    char path[512];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s", table, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL && n < max;) {
        if (e->d_name[0] == '.') continue;
        char file[512];
        if (snprintf(file, sizeof file, "%s/%s", path, e->d_name) < (int)sizeof file) out[n++] = load(file);
    }
    closedir(dir);
    return n;
}

static void each_file_of_a_folder(const char *folder, size_t step)
{
    char root[] = "/tmp/paimon-damage-XXXXXX", command[512], table[64];
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command, "cp -r '%s' '%s/t'", TABLE("columns"), root);
    assert_int_equal(system(command), 0);
    snprintf(table, sizeof table, "%s/t", root);
    file_copy files[MAX_FILES];
    size_t n = list_files(table, folder, files, MAX_FILES);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) damage(table, &files[i], step);
    for (size_t i = 0; i + 1 < n; i++) { /* one file's bytes in another's place */
        store(files[i].path, files[i + 1].bytes, files[i + 1].size);
        read_damaged(table, files[i].path, 0);
        store(files[i].path, files[i].bytes, files[i].size);
    }
    assert_rows(table, (&(read_request){ .columns = "id" }), "[1]\n[3]\n[5]\n[2]\n[4]\n");
    for (size_t i = 0; i < n; i++) free(files[i].bytes);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
}

static void damaged_manifests_do_no_harm(void **state)
{
    (void)state;
    each_file_of_a_folder("manifest", 23);
}

static void damaged_snapshots_do_no_harm(void **state)
{
    (void)state;
    each_file_of_a_folder("snapshot", 31);
}

static void damaged_schemas_do_no_harm(void **state)
{
    (void)state;
    each_file_of_a_folder("schema", 17);
}

static void damaged_data_files_do_no_harm(void **state)
{
    (void)state;
    each_file_of_a_folder("p=x/bucket-0", 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_manifests_do_no_harm),
        cmocka_unit_test(damaged_snapshots_do_no_harm),
        cmocka_unit_test(damaged_schemas_do_no_harm),
        cmocka_unit_test(damaged_data_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
