package io.sluice.node.testing;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.List;

/** What a kernel says when a file cannot be opened or read. */
public final class Errnos {
  private Errnos() {}

  /** Each of them may be gone a moment later, and says nothing of what the file holds. */
  public static List<String> ofAMoment() {
    return List.of(
        "Too many open files", // EMFILE
        "Too many open files in system", // ENFILE
        "Input/output error", // EIO
        "Cannot allocate memory", // ENOMEM
        "No space left on device", // ENOSPC
        "Disk quota exceeded", // EDQUOT
        "Stale file handle", // ESTALE
        "Permission denied", // EACCES
        "Operation not permitted", // EPERM
        "Interrupted system call", // EINTR
        "Resource temporarily unavailable", // EAGAIN
        "Device or resource busy", // EBUSY
        "Text file busy", // ETXTBSY
        "Read-only file system", // EROFS
        "Bad file descriptor", // EBADF
        "Invalid argument", // EINVAL
        "Connection timed out", // ETIMEDOUT
        "Transport endpoint is not connected", // ENOTCONN
        "Remote I/O error", // EREMOTEIO
        "No such device", // ENODEV
        "No such device or address", // ENXIO
        "Not a directory", // ENOTDIR
        "Is a directory", // EISDIR
        "Too many levels of symbolic links", // ELOOP
        "File name too long", // ENAMETOOLONG
        "Value too large for defined data type", // EOVERFLOW
        "Structure needs cleaning"); // EUCLEAN
  }

  /** As the JDK words it. */
  public static List<IOException> failures(String errno) {
    return List.of(
        new IOException(errno),
        new FileNotFoundException("/segment (" + errno + ")"),
        new FileSystemException("/segment", null, errno),
        new AccessDeniedException("/segment", null, errno),
        new IOException(new UncheckedIOException(new IOException(errno))));
  }
}
