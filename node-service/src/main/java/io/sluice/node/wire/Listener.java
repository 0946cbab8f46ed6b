package io.sluice.node.wire;

import java.io.Closeable;
import java.io.IOException;

/**
 * A socket at which peers arrive.
 *
 * <p>Thread contract: one thread accepts; {@link #close} may come from another and ends its wait.
 * Ownership: an {@link Acceptor} closes the one that it was given. Failure: {@link IOException};
 * the next accept may succeed, unless it is closed.
 */
public interface Listener extends Closeable {
  /** Waits for the next peer; the caller closes the stream. */
  MessageStream accept() throws IOException;
}
