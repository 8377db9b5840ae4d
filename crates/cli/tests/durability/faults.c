/* Lets writes and syncs of regular files fail now and then, as a disk does that is about to die or is full: loaded before
   libc (LD_PRELOAD). FAULT_SEED and FAULT_EVERY say which: one call in so many fails, one in so many writes less than asked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t state;
static uint64_t every;

static uint64_t next_random(void) {
    uint64_t x = __atomic_add_fetch(&state, 0x9E3779B97F4A7C15ull, __ATOMIC_RELAXED);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

__attribute__((constructor)) static void begin(void) {
    const char *seed = getenv("FAULT_SEED"), *often = getenv("FAULT_EVERY");
    state = seed ? strtoull(seed, NULL, 10) : 0;
    every = often ? strtoull(often, NULL, 10) : 0;
}

static int is_file(int fd) {
    struct stat about;
    return every > 0 && fd > 2 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

/* How many bytes a write may take: -1 if it fails. */
static ssize_t allowed(int fd, size_t count) {
    if (!is_file(fd)) return (ssize_t)count;
    uint64_t random = next_random();
    if (random % every == 0) {
        errno = (random >> 32) % 2 ? EIO : ENOSPC;
        return -1;
    }
    return random % every == 1 && count > 1 ? (ssize_t)(count / 2) : (ssize_t)count;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    ssize_t take = allowed(fd, count);
    return take < 0 ? -1 : real(fd, bytes, (size_t)take);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    ssize_t take = allowed(fd, count);
    return take < 0 ? -1 : real(fd, bytes, (size_t)take, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

static int sync_fails(int fd) {
    if (!is_file(fd) || next_random() % every != 0) return 0;
    errno = EIO;
    return 1;
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return sync_fails(fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return sync_fails(fd) ? -1 : real(fd);
}
