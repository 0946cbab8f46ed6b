package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Function;

/**
 * Copies bytes of outputs for readers in the store's own process, from wherever they lie at the
 * moment. Unlike a reader elsewhere it knows after each copy whether that came from the output.
 *
 * <p>Thread contract: safe from any thread, until the store is closed. Failure: {@link IOException}
 * of a segment, or because the output was freed or replaced; what was copied is good for nothing
 * then.
 */
public final class OutputReads {
  private final Function<OutputId, Optional<CommittedOutput>> find;

  /**
   * Of a store.
   *
   * @param find which output has this name now
   */
  public OutputReads(Function<OutputId, Optional<CommittedOutput>> find) {
    this.find = find;
  }

  /**
   * Fills {@code destination}, whose position is 0.
   *
   * @param output as it was found once
   * @param logicalOffsetBytes where the bytes begin in the concatenation of its extents
   * @return the output as it is now, to ask for its next bytes with
   */
  public CommittedOutput copy(
      CommittedOutput output, long logicalOffsetBytes, ByteBuffer destination) throws IOException {
    CommittedOutput now = output;
    while (true) { // each further turn takes another move of this very output
      IOException failure = null;
      try {
        now.location().copyTo(logicalOffsetBytes, destination.duplicate());
      } catch (IOException e) {
        failure = e;
      }
      if (now.location().isHeld()) {
        if (failure != null) {
          throw failure;
        }
        return now;
      }
      now =
          find.apply(output.id())
              .filter(output::hasTheBytesOf)
              .orElseThrow(
                  () -> new IOException(output.id() + " was freed or replaced while it was read"));
    }
  }
}
