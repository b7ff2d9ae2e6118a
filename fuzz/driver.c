/* Replays files through a fuzz target where there is no libFuzzer: each argument is a file, or a folder whose files are taken.
 *
 * Every input is also cut short at a few places and has single bits turned, always the same ones, so that even a plain build
 * looks at some damaged bytes. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 4 << 20, CUTS = 16, TURNS = 64 };

static long n_inputs;

/* A copy of its own, so that a sanitizer sees a read past the end. */
static void run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    n_inputs++;
}

static void run_damaged(uint8_t *data, size_t size)
{
    uint32_t random = 2463534242u;
    for (int i = 1; i < CUTS && size > 0; i++) {
        run_copy(data, size * (size_t)i / CUTS);
    }
    for (int i = 0; i < TURNS && size > 0; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        uint8_t *at = data + random % size;
        uint8_t old = *at;
        *at ^= (uint8_t)(1u << (random >> 29));
        run_copy(data, size);
        *at = old;
    }
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_BYTES);
    if (file == NULL || data == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file != NULL) {
            fclose(file);
        }
        free(data);
        return 1;
    }
    size_t size = fread(data, 1, MAX_BYTES, file);
    fclose(file);
    run_copy(data, size);
    run_damaged(data, size);
    free(data);
    return 0;
}

static int run_folder(const char *path)
{
    DIR *folder = opendir(path);
    int failed = folder == NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            char name[4096];
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            failed |= run_file(name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            fprintf(stderr, "%s: not there\n", argv[i]);
            failed = 1;
        } else {
            failed |= S_ISDIR(info.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
        }
    }
    printf("%ld inputs, no crash\n", n_inputs);
    return failed;
}
