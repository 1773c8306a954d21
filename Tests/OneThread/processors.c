// Preloaded into a program: it finds a machine of one processor, whatever the machine has.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

long sysconf(int name) {
  static long (*real)(int);
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return 1;
  if (real == NULL) real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return real(name);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  (void)process;
  CPU_ZERO_S(size, set);
  CPU_SET_S(0, size, set);
  return 0;
}
