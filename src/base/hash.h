/* Hashes: Paimon's two Murmur3 variants and one for our own tables. */
#ifndef PMN_BASE_HASH_H
#define PMN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Murmur3 x86_32, seed 42, over 32-bit little-endian words; `n` is a multiple of 4. BinaryRow.hashCode. */
int32_t pmn_murmur_words(const void *bytes, size_t n);
/* Paimon's hashBytes: tail bytes are mixed one by one, sign-extended, as whole words. */
int32_t pmn_murmur_bytes(const void *bytes, size_t n);
/* For hash tables in memory; never stored. */
uint64_t pmn_hash64(const void *bytes, size_t n, uint64_t seed);
/* Java's String.hashCode over UTF-16 of a UTF-8 text. */
int32_t pmn_java_string_hash(const char *text, size_t n);

#endif
