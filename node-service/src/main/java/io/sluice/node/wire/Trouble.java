package io.sluice.node.wire;

import io.sluice.spill.format.CorruptOutputException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * What a failure says of the output that was asked for. A reader reports an output as lost only
 * where it is gone.
 *
 * <pre>
 * what happened                                                            it is
 *   the service answers that it knows nothing of the application           GONE
 *   it answers without the output                                          GONE
 *   the output's index has another checksum (the service then leaves       GONE
 *     the output out of its answers), or its file is cut or removed
 *   no connection, no answer, another release, anything else answers       NOT_NOW
 *   it is busy, or has no descriptor, memory or readable disk              NOT_NOW
 *   it does not believe the reader, or does not understand the request     REFUSED
 * </pre>
 */
public enum Trouble {
  /** The output is lost for certain: only another attempt of its map brings it back. */
  GONE,
  /** Nobody knows: the output may be there, so that it is asked for again. */
  NOT_NOW,
  /** The reader is at fault, and would be so at any other time. */
  REFUSED;

  /** That of a reader that has asked a node service. */
  public static Trouble ofAsking(IOException failure) {
    if (!(failure instanceof RemoteError refusal)) {
      return NOT_NOW;
    }
    return switch (refusal.code()) {
      case UNKNOWN_APPLICATION -> GONE;
      case BUSY, FULL, INTERNAL, NOT_NOW -> NOT_NOW;
      case BAD_REQUEST, REFUSED, CORRUPT_OUTPUT, TOO_MUCH -> REFUSED;
    };
  }

  /** That of a service that has read where an output of its own lies. */
  public static Trouble ofReading(IOException failure) {
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
