package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells whether this process can make system calls that the JDK does not offer, and converts their
 * failures to exceptions.
 *
 * <p>Thread contract: stateless.
 */
public final class NativeCalls {
  /** In JNA's message about a processor that it has no library for. */
  private static final Pattern CLASS_PATH = Pattern.compile(" in resource path \\(.*");

  private NativeCalls() {}

  /** Why native calls do not work in this process; empty if they work. */
  public static Optional<String> unavailabilityCause() {
    try {
      return Libc.loadFailure().map(NativeCalls::unavailabilityCause);
    } catch (LinkageError e) {
      return Optional.of("JNA is not on the class path (" + e + ")");
    }
  }

  /** The cause with its remedy, for what was thrown when JNA was to bind functions. */
  static String unavailabilityCause(Throwable failure) {
    Throwable first = failure;
    while (first.getCause() != null) { // JNA fails once; later there is no class Native
      first = first.getCause();
    }
    String said =
        CLASS_PATH.matcher(ErrorText.of(first).lines().findFirst().orElse("")).replaceFirst("");
    return "native calls do not work: JNA does not load its own library ("
        + said
        + "); let -Djna.tmpdir name a directory that is writable and not mounted noexec, or"
        + " -Djna.boot.library.path one with a libjnidispatch.so of the same JNA for this system";
  }

  /** The exception for a failed call, with the system's text. */
  public static IOException failure(String what, LastErrorException e) {
    return new IOException("cannot " + what + ": " + e.getMessage(), e);
  }

  /** The exception for a call that returned its error. */
  public static IOException failure(String what, int errno) {
    return new IOException("cannot " + what + ": [" + errno + "] " + Libc.strerror(errno));
  }

  /**
   * The system calls that {@link NativeFile} and {@link Descriptor} need. The class is loaded on
   * first use. If JNA does not work, only {@link #loadFailure} may be called. The constants are
   * those of Linux on x86-64 and aarch64.
   *
   * <p>Thread contract: safe from any thread. Failure: {@link LastErrorException} with the errno.
   */
  static final class Libc {
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;
    static final int O_NOFOLLOW =
        "aarch64".equals(System.getProperty("os.arch")) ? 0x8000 : 0x20000;
    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;
    static final int MAP_SHARED = 1;
    static final int LOCK_EX = 2;
    static final int LOCK_NB = 4;
    static final int F_DUPFD_CLOEXEC = 1030;
    static final int EWOULDBLOCK = 11;

    private static final Throwable LOAD_FAILURE = load();

    private Libc() {}

    /** Why these calls do not work; empty if they work. */
    static Optional<Throwable> loadFailure() {
      return Optional.ofNullable(LOAD_FAILURE);
    }

    private static Throwable load() {
      try {
        Native.register(Libc.class, "c");
        return null;
      } catch (RuntimeException | Error e) { // a plain Error if the library is of another JNA
        return e;
      }
    }

    static native int open(String path, int flags) throws LastErrorException;

    static native int close(int descriptor) throws LastErrorException;

    static native Pointer mmap(
        Pointer address, long lengthBytes, int protection, int flags, int descriptor, long offset)
        throws LastErrorException;

    static native int munmap(Pointer address, long lengthBytes) throws LastErrorException;

    static native int fallocate(int descriptor, int mode, long offsetBytes, long lengthBytes)
        throws LastErrorException;

    static native long pread(int descriptor, byte[] into, long lengthBytes, long offsetBytes)
        throws LastErrorException;

    static native int fcntl(int descriptor, int command, int argument) throws LastErrorException;

    static native int flock(int descriptor, int operation) throws LastErrorException;

    static native String strerror(int errno);
  }

  /**
   * Errors of the kernel that a process must recognise, though Java's exceptions have only their
   * text. That text comes from {@code strerror}, in the language of the process's environment if
   * the C library has a translation.
   *
   * <p>Thread contract: safe from any thread. Failure: none; if native calls do not work, only the
   * English text is known.
   */
  public enum Errno {
    /** The kernel or the process has no memory left. */
    ENOMEM(12, "Cannot allocate memory"),
    /** The host has no descriptor left. */
    ENFILE(23, "Too many open files in system"),
    /** The process has no descriptor left. */
    EMFILE(24, "Too many open files"),
    /** Mostly: no port is left. */
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    /** The kernel has no memory for a socket. */
    ENOBUFS(105, "No buffer space available");

    /** The variables from which the C library takes the language. */
    private static final List<String> VARIABLES =
        List.of("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG");

    private static final Pattern ENGLISH = Pattern.compile("(|C|POSIX|en)([^a-zA-Z].*)?");

    private final int number;
    private final String english;

    Errno(int number, String english) {
      this.number = number;
      this.english = english;
    }

    /**
     * The texts that an exception may quote: in English, and in the language of this process if
     * that differs. The latter loads a library, so a process calls this before it can run out of
     * descriptors.
     */
    public List<String> words() {
      return isEnglish(System.getenv()) || NativeCalls.unavailabilityCause().isPresent()
          ? List.of(english)
          : List.of(english, quoted());
    }

    /** The text of the C library. */
    String quoted() {
      return Libc.strerror(number);
    }

    static boolean isEnglish(Map<String, String> environment) {
      return VARIABLES.stream()
          .map(environment::get)
          .filter(Objects::nonNull)
          .allMatch(language -> ENGLISH.matcher(language).matches());
    }
  }
}
