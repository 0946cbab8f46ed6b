package io.sluice.rdma.text;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.concurrent.ExecutionException;

/**
 * The text of an exception for people. Many of Java's exceptions have only a path or the name of a
 * host as message, or none; the name of their class says the rest. The message of a {@link
 * NoSuchFileException} is {@code /proc/sluice}, for example.
 *
 * <p>Thread contract: safe from any thread. Failure: none; an exception without message is named by
 * its class.
 */
public final class ErrorText {
  private ErrorText() {}

  /** The text, for a part of a message; never null or empty. */
  public static String of(Throwable failure) {
    String said = failure.getMessage();
    if (failure instanceof FileSystemException ofFile) {
      return ofFile(ofFile);
    }
    boolean repeatsCause = failure instanceof UncheckedIOException || wrapsOnly(failure);
    if (repeatsCause && failure.getCause() != null) {
      return of(failure.getCause());
    }
    if (failure instanceof UnknownHostException && said != null && said.indexOf(' ') < 0) {
      return "no address is known of host " + said;
    }
    if (said == null || said.isBlank()) {
      return ofNothingSaid(failure);
    }
    return said.strip();
  }

  /**
   * {@code what: cause}, or {@code what} alone if there is no memory for more: for the end of
   * something that must end all the same.
   *
   * @param cause a failure, or what else is at fault
   */
  public static String ofEnd(String what, Object cause) {
    try {
      return what + ": " + (cause instanceof Throwable failure ? of(failure) : cause);
    } catch (OutOfMemoryError e) {
      return what;
    }
  }

  private static boolean wrapsOnly(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause != null
        && (failure instanceof ExecutionException || failure.getClass() == RuntimeException.class)
        && cause.toString().equals(failure.getMessage());
  }

  private static String ofNothingSaid(Throwable failure) {
    if (failure instanceof EOFException) {
      return "the stream ended too early";
    }
    if (failure instanceof ClosedChannelException) {
      return "it was closed meanwhile";
    }
    return failure.getCause() == null ? failure.toString() : of(failure.getCause());
  }

  /** {@code path: error}, with the other path of a move or a link. */
  private static String ofFile(FileSystemException failure) {
    String reason = failure.getReason();
    String kind = kind(failure);
    String what;
    if (reason == null || reason.isBlank()) {
      what = kind.isEmpty() ? failure.getClass().getSimpleName() : kind;
    } else {
      what = kind.isEmpty() ? reason : kind + " (" + reason + ")";
    }
    if (failure.getFile() == null) {
      return what;
    }
    String other = failure.getOtherFile() == null ? "" : " -> " + failure.getOtherFile();
    return failure.getFile() + other + ": " + what;
  }

  /**
   * The error of an exception whose class alone names it; empty for others, which have a reason.
   */
  private static String kind(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    } else if (failure instanceof AccessDeniedException) {
      return "permission denied";
    } else if (failure instanceof FileAlreadyExistsException) {
      return "file exists";
    } else if (failure instanceof DirectoryNotEmptyException) {
      return "directory is not empty";
    } else if (failure instanceof NotDirectoryException) {
      return "not a directory";
    } else if (failure instanceof FileSystemLoopException) {
      return "symbolic links lead in a circle";
    } else if (failure instanceof NotLinkException) {
      return "not a symbolic link";
    }
    return "";
  }
}
