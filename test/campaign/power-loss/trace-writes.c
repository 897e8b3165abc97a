/*
 * Loaded into the exchange with LD_PRELOAD: writes down every change of the files below POWER_LOSS_ROOT, in the order
 * in which they happen, with its bytes. Syncs are noted and not carried out: what a power loss leaves is worked out
 * afterwards from the notes, for all files alike, those of SQLite too.
 *
 * A note: kind (1 byte), inode (8), position or length (8), length of what follows (4), then the bytes written or the
 * name; of a rename or link both names with a zero between them. Numbers are of the machine's byte order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FD_MAX 65536

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static size_t root_length;
static int trace = -1;
static unsigned sync_us_max;
static unsigned char watched[FD_MAX];

__attribute__((constructor)) static void begin(void) {
  root = getenv("POWER_LOSS_ROOT");
  const char *path = getenv("POWER_LOSS_TRACE");
  if (root == NULL || path == NULL) return;
  root_length = strlen(root);
  const char *delay = getenv("POWER_LOSS_SYNC_US");
  sync_us_max = delay == NULL ? 0 : (unsigned)atoi(delay);
  trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int below(const char *path) {
  return trace >= 0 && path != NULL && strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

static int is_watched(int fd) { return trace >= 0 && fd >= 0 && fd < FD_MAX && watched[fd]; }

static void note(char kind, uint64_t inode, uint64_t at, const struct iovec *parts, int count) {
  unsigned char head[21];
  struct iovec all[66];
  uint32_t length = 0;
  for (int i = 0; i < count; i++) length += (uint32_t)parts[i].iov_len;
  head[0] = (unsigned char)kind;
  memcpy(head + 1, &inode, 8);
  memcpy(head + 9, &at, 8);
  memcpy(head + 17, &length, 4);
  all[0].iov_base = head;
  all[0].iov_len = sizeof head;
  for (int i = 0; i < count; i++) all[i + 1] = parts[i];
  syscall(SYS_writev, trace, all, count + 1);
}

static void note_names(char kind, uint64_t inode, const char *from, const char *to) {
  struct iovec parts[2] = {{(void *)from, strlen(from) + (to == NULL ? 0 : 1)}, {(void *)to, to == NULL ? 0 : strlen(to)}};
  note(kind, inode, 0, parts, to == NULL ? 1 : 2);
}

static uint64_t inode_of(int fd, struct stat *found) {
  return fstat(fd, found) == 0 ? (uint64_t)found->st_ino : 0;
}

/* Opening */

static int open_noted(const char *path, int flags, mode_t mode) {
  if (!below(path)) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  pthread_mutex_lock(&turn);
  struct stat found;
  int existed = stat(path, &found) == 0;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int failure = errno;
  if (fd >= 0) {
    if (fd < FD_MAX) watched[fd] = 1;
    uint64_t inode = inode_of(fd, &found);
    if (!existed) note_names('C', inode, path, NULL);
    else if ((flags & O_TRUNC) != 0 && S_ISREG(found.st_mode)) note('T', inode, 0, NULL, 0);
  }
  pthread_mutex_unlock(&turn);
  errno = failure;
  return fd;
}

#define WITH_MODE                                            \
  mode_t mode = 0;                                           \
  if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {              \
    va_list rest;                                            \
    va_start(rest, flags);                                   \
    mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                            \
  }

int open(const char *path, int flags, ...) {
  WITH_MODE
  return open_noted(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  WITH_MODE
  return open_noted(path, flags | O_LARGEFILE, mode);
}

int close(int fd) {
  if (is_watched(fd)) watched[fd] = 0;
  return (int)syscall(SYS_close, fd);
}

/* Writing: noted first, so that no byte is on the disk of which the notes know nothing. */

static void note_write(int fd, const struct iovec *parts, int count, int64_t position) {
  struct stat found;
  uint64_t inode = inode_of(fd, &found);
  if (!S_ISREG(found.st_mode)) return;
  if (position < 0) {
    int appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
    position = appends ? found.st_size : lseek(fd, 0, SEEK_CUR);
  }
  note('W', inode, (uint64_t)position, parts, count);
}

#define NOTED_WRITE(position, call)                          \
  if (!is_watched(fd)) return call;                          \
  pthread_mutex_lock(&turn);                                 \
  note_write(fd, parts, count, position);                    \
  ssize_t written = call;                                    \
  int failure = errno;                                       \
  pthread_mutex_unlock(&turn);                               \
  errno = failure;                                           \
  return written;

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec parts[1] = {{(void *)bytes, length}};
  int count = 1;
  NOTED_WRITE(-1, syscall(SYS_write, fd, bytes, length))
}

ssize_t writev(int fd, const struct iovec *parts, int count) { NOTED_WRITE(-1, syscall(SYS_writev, fd, parts, count)) }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t position) {
  struct iovec parts[1] = {{(void *)bytes, length}};
  int count = 1;
  NOTED_WRITE(position, syscall(SYS_pwrite64, fd, bytes, length, position))
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t position) {
  return pwrite64(fd, bytes, length, position);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t position) {
  NOTED_WRITE(position, syscall(SYS_pwritev, fd, parts, count, position, 0))
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t position) {
  return pwritev64(fd, parts, count, position);
}

int ftruncate64(int fd, off64_t length) {
  if (!is_watched(fd)) return (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&turn);
  struct stat found;
  note('T', inode_of(fd, &found), (uint64_t)length, NULL, 0);
  int result = (int)syscall(SYS_ftruncate, fd, length);
  int failure = errno;
  pthread_mutex_unlock(&turn);
  errno = failure;
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* Syncing: takes its time, as a disk does, and counts when it returns. */

static int sync_noted(int fd, long number) {
  if (!is_watched(fd)) return (int)syscall(number, fd);
  struct stat found;
  uint64_t inode = inode_of(fd, &found);
  if (sync_us_max > 0) usleep((useconds_t)rand() % sync_us_max);
  pthread_mutex_lock(&turn);
  note(S_ISDIR(found.st_mode) ? 'D' : 'S', inode, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  return 0;
}

int fsync(int fd) { return sync_noted(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_noted(fd, SYS_fdatasync); }

/* Names */

int rename(const char *from, const char *to) {
  if (!below(from)) return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_lock(&turn);
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  int failure = errno;
  if (result == 0) note_names('R', 0, from, to);
  pthread_mutex_unlock(&turn);
  errno = failure;
  return result;
}

int link(const char *from, const char *to) {
  if (!below(from)) return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_lock(&turn);
  int result = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  int failure = errno;
  if (result == 0) note_names('L', 0, from, to);
  pthread_mutex_unlock(&turn);
  errno = failure;
  return result;
}

int unlink(const char *path) {
  if (!below(path)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_lock(&turn);
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  int failure = errno;
  if (result == 0) note_names('U', 0, path, NULL);
  pthread_mutex_unlock(&turn);
  errno = failure;
  return result;
}

/* How Node's rmSync takes a file away. */
int remove(const char *path) {
  struct stat found;
  if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
  return unlink(path);
}
