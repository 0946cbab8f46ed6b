package io.sluice.node.local;

import io.sluice.node.wire.DeadlineChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;

/**
 * Who is at the other end of a Unix socket, as the kernel says.
 *
 * <p>Thread contract: stateless.
 */
final class PeerUser {
  private PeerUser() {}

  /** The user of the process that connected, or of the one that listened. */
  static String of(DeadlineChannel channel) throws IOException {
    return channel.channel().getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
  }

  /** The user of this process. */
  static String own() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName();
  }
}
