package io.sluice.node.wire;

import io.sluice.rdma.memory.NativeCalls.Errno;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.spill.format.CorruptOutputException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.stream.Stream;

/**
 * The state of an output by the failure to get it. A reader reports an output as lost only where it
 * is gone.
 *
 * <pre>
 * what happened                                                            it is
 *   the service answers that it knows nothing of the application           GONE
 *   it answers without the output                                          GONE
 *   the output's index has another checksum (the service then leaves       GONE
 *     the output out of its answers), or its file is cut or removed
 *   no connection, no answer, another release, anything else answers       NOT_NOW
 *   it is busy, or has no descriptor, memory or readable disk              NOT_NOW
 *   it has an output that no answer of its can describe                    NOT_NOW
 *   it does not believe the reader, or does not understand the request     REFUSED
 *   the reader itself has no descriptor, memory or port left               SHORT
 * </pre>
 *
 * <p>The last two are the reader's own: in the end its attempt fails, and no output is blamed. A
 * reader that another service accepts, or this one did before, waits for one that refuses it, and
 * blames the output in the end, as with NOT_NOW.
 */
public enum FailureMeaning {
  /** The output is lost for certain: only another attempt of its map brings it back. */
  GONE,
  /** Nobody knows: the output may be there, so that it is asked for again. */
  NOT_NOW,
  /** The reader is at fault, unless another service accepts it: then this one is. */
  REFUSED,
  /** The reader's own process or host lacks something, now. */
  SHORT;

  /** Java's words for the kernel's errors, in English and in the language of this process. */
  private static final List<String> NO_DESCRIPTOR = words(Errno.EMFILE, Errno.ENFILE);

  private static final List<String> SHORTAGES = words(Errno.values());

  private static List<String> words(Errno... errors) {
    return Stream.of(errors).flatMap(error -> error.words().stream()).toList();
  }

  /**
   * Looks those words up, by loading this class. That may open a library: a process that may run
   * out of descriptors calls this first.
   */
  public static void load() {}

  /** That of a reader that has asked a node service. */
  public static FailureMeaning ofAsking(IOException failure) {
    if (!(failure instanceof RemoteError refusal)) {
      return isShort(failure) ? SHORT : NOT_NOW;
    }
    return switch (refusal.code()) {
      case UNKNOWN_APPLICATION -> GONE;
      case BUSY, FULL, INTERNAL, NOT_NOW, CORRUPT_OUTPUT, TOO_MUCH -> NOT_NOW;
      case BAD_REQUEST, REFUSED -> REFUSED;
    };
  }

  /** Whether it is {@link #SHORT}, of whatever a reader did itself. */
  public static boolean isShort(IOException failure) {
    return says(failure, SHORTAGES);
  }

  /** Whether it is {@link #SHORT} of descriptors or heap, which every way of reading needs. */
  public static boolean isShortForEveryWay(IOException failure) {
    return says(failure, NO_DESCRIPTOR);
  }

  private static boolean says(IOException failure, List<String> texts) {
    boolean says = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RemoteError || cause instanceof RemoteAccessException) {
        return false; // that is of what a service did
      }
      String said = ErrorText.of(cause);
      says |= cause instanceof OutOfMemoryError || texts.stream().anyMatch(said::contains);
    }
    return says;
  }

  /** Whether it is the reader's own. */
  public boolean isOwn() {
    return this == REFUSED || this == SHORT;
  }

  /** That of a service that has read where an output of its own lies. */
  public static FailureMeaning ofReading(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CorruptOutputException
          || cause instanceof NoSuchFileException
          || cause instanceof EOFException) {
        return GONE;
      }
    }
    return NOT_NOW;
  }
}
