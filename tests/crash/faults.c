/* A disk that can be told to fail, a power that can be told to go, and a clock that can be told to jump.
 *
 * Preloaded into dualgate. Every call that changes something below a folder is a step, and has a number; at one of them
 * something happens. Programs that dualgate starts carry it too, and have no plan, so that nothing happens to them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum moment { NEVER, BEFORE, TORN, AFTER, REFUSED_ONCE, REFUSED_FROM, CLOCK };

static char below[PATH_MAX];
static long at, step;
static int what, number_of_error, listing = -1, armed;
static long clock_shift;

/* How many steps there were since. */
long faults_steps(void) { return step; }

void faults_plan(const char *folder, long at_step, int moment, int value, int list) {
    snprintf(below, sizeof below, "%s", folder);
    at = at_step;
    what = moment;
    number_of_error = value;
    listing = list;
    step = 0;
    armed = 1;
}

static void die(void) { kill(getpid(), SIGKILL); }

static int is_below(const char *path) { return armed && strncmp(path, below, strlen(below)) == 0; }

static const char *path_of(int descriptor, char *room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, room, PATH_MAX - 1);
    room[length < 0 ? 0 : length] = 0;
    return room;
}

static const char *absolute(const char *path, char *room) {
    if (path[0] == '/')
        return path;
    if (getcwd(room, PATH_MAX) == NULL)
        return path;
    size_t length = strlen(room);
    snprintf(room + length, PATH_MAX - length, "/%s", path);
    return room;
}

/* What the step about to be taken meets. */
static enum moment meets(const char *name, const char *path) {
    if (!is_below(path))
        return NEVER;
    step++;
    if (listing >= 0) {
        char line[PATH_MAX + 32];
        int length = snprintf(line, sizeof line, "%s %s\n", name, path + strlen(below));
        syscall(SYS_write, listing, line, (size_t)length);
    }
    if (what == REFUSED_FROM)
        return step >= at ? REFUSED_FROM : NEVER;
    if (step != at)
        return NEVER;
    if (what == BEFORE)
        die();
    if (what == CLOCK)
        clock_shift = number_of_error;
    return what;
}

static int refuses(enum moment met) {
    if (met != REFUSED_ONCE && met != REFUSED_FROM)
        return 0;
    errno = number_of_error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define STEP(name, path, call)                                                                                         \
    do {                                                                                                               \
        enum moment met = meets(name, path);                                                                           \
        if (refuses(met))                                                                                              \
            return -1;                                                                                                 \
        __typeof__(call) given = call;                                                                                 \
        if (met == AFTER || met == TORN)                                                                               \
            die();                                                                                                     \
        return given;                                                                                                  \
    } while (0)

/* A write may get half of its bytes onto the disk: before the power goes, or before there is no room for the rest. */
#define WRITE(name, path, size, some, whole)                                                                           \
    do {                                                                                                               \
        enum moment met = meets(name, path);                                                                           \
        if (met == TORN) {                                                                                             \
            (void)!(some);                                                                                             \
            die();                                                                                                     \
        }                                                                                                              \
        if ((met == REFUSED_FROM || met == REFUSED_ONCE) && step == at && number_of_error == ENOSPC && (size) > 1)     \
            return some;                                                                                               \
        if (refuses(met))                                                                                              \
            return -1;                                                                                                 \
        ssize_t given = whole;                                                                                         \
        if (met == AFTER)                                                                                              \
            die();                                                                                                     \
        return given;                                                                                                  \
    } while (0)

ssize_t write(int descriptor, const void *bytes, size_t size) {
    static __typeof__(&write) real;
    if (!real)
        real = REAL(write);
    if (!armed)
        return real(descriptor, bytes, size);
    char room[PATH_MAX];
    WRITE("write", path_of(descriptor, room), size, real(descriptor, bytes, size / 2), real(descriptor, bytes, size));
}

#define POSITIONED(name, offset_type)                                                                                  \
    ssize_t name(int descriptor, const void *bytes, size_t size, offset_type offset) {                                 \
        static ssize_t (*real)(int, const void *, size_t, offset_type);                                                \
        if (!real)                                                                                                     \
            real = (ssize_t (*)(int, const void *, size_t, offset_type))dlsym(RTLD_NEXT, #name);                       \
        if (!armed)                                                                                                    \
            return real(descriptor, bytes, size, offset);                                                              \
        char room[PATH_MAX];                                                                                           \
        WRITE("write", path_of(descriptor, room), size, real(descriptor, bytes, size / 2, offset),                     \
              real(descriptor, bytes, size, offset));                                                                  \
    }

POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

#define DESCRIBED(name, said)                                                                                          \
    int name(int descriptor) {                                                                                         \
        static int (*real)(int);                                                                                       \
        if (!real)                                                                                                     \
            real = (int (*)(int))dlsym(RTLD_NEXT, #name);                                                              \
        if (!armed)                                                                                                    \
            return real(descriptor);                                                                                   \
        char room[PATH_MAX];                                                                                           \
        STEP(said, path_of(descriptor, room), real(descriptor));                                                       \
    }

DESCRIBED(fsync, "sync")
DESCRIBED(fdatasync, "sync")

#define SHORTENED(name, offset_type)                                                                                   \
    int name(int descriptor, offset_type length) {                                                                     \
        static int (*real)(int, offset_type);                                                                          \
        if (!real)                                                                                                     \
            real = (int (*)(int, offset_type))dlsym(RTLD_NEXT, #name);                                                 \
        char room[PATH_MAX];                                                                                           \
        /* a full disk lets a file be cut */                                                                           \
        if (!armed || number_of_error == ENOSPC)                                                                       \
            return real(descriptor, length);                                                                           \
        STEP("cut", path_of(descriptor, room), real(descriptor, length));                                              \
    }

SHORTENED(ftruncate, off_t)
SHORTENED(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real)
        real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    char room[PATH_MAX];
    if (!armed || number_of_error == ENOSPC)
        return real(from, to);
    STEP("replace", absolute(to, room), real(from, to));
}

int unlink(const char *path) {
    static int (*real)(const char *);
    if (!real)
        real = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
    char room[PATH_MAX];
    if (!armed || number_of_error == ENOSPC)
        return real(path);
    STEP("remove", absolute(path, room), real(path));
}

int mkdir(const char *path, mode_t mode) {
    static int (*real)(const char *, mode_t);
    if (!real)
        real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    char room[PATH_MAX];
    struct stat found;
    if (!armed || stat(path, &found) == 0)
        return real(path, mode);
    STEP("folder", absolute(path, room), real(path, mode));
}

#define OPENED(name)                                                                                                   \
    int name(const char *path, int flags, ...) {                                                                       \
        static int (*real)(const char *, int, ...);                                                                    \
        if (!real)                                                                                                     \
            real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);                                           \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list rest;                                                                                              \
            va_start(rest, flags);                                                                                     \
            mode = va_arg(rest, mode_t);                                                                               \
            va_end(rest);                                                                                              \
        }                                                                                                              \
        char room[PATH_MAX];                                                                                           \
        struct stat found;                                                                                             \
        if (!armed || !(flags & O_CREAT) || stat(path, &found) == 0)                                                   \
            return real(path, flags, mode);                                                                            \
        STEP("make", absolute(path, room), real(path, flags, mode));                                                   \
    }

OPENED(open)
OPENED(open64)

int clock_gettime(clockid_t which, struct timespec *now) {
    int given = (int)syscall(SYS_clock_gettime, which, now);
    if (which == CLOCK_REALTIME)
        now->tv_sec += clock_shift;
    return given;
}
