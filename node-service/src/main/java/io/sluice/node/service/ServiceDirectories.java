package io.sluice.node.service;

import io.sluice.node.socket.ServedUsers;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;

/**
 * Where a service keeps what: everything in one directory if that can hold ordinary files; else the
 * pool alone lies elsewhere, on huge pages or a device.
 *
 * @param directory for the socket and what is known of applications
 * @param pool a directory or a device
 * @param use who opens what lies there
 */
public record ServiceDirectories(Path directory, Path pool, PoolVisibility use) {
  private static final String POOL_NAME = "pool";

  /** Everything in one directory. */
  public static ServiceDirectories in(Path directory, PoolVisibility use) {
    return new ServiceDirectories(directory, directory.resolve(POOL_NAME), use);
  }

  /**
   * Everything in {@code configured} if it is a directory of ordinary files, or can become one;
   * else the pool there and the rest in {@code standard}. Other processes are told of it.
   *
   * @throws IOException if {@code configured} can hold no pool
   */
  public static ServiceDirectories of(Path configured, Path standard) throws IOException {
    return switch (PoolKind.of(configured)) {
      case FILES -> in(configured, PoolVisibility.ANNOUNCED);
      case HUGE_PAGES ->
          new ServiceDirectories(standard, configured.resolve(POOL_NAME), PoolVisibility.ANNOUNCED);
      case DEVICE -> new ServiceDirectories(standard, configured, PoolVisibility.ANNOUNCED);
    };
  }

  /** The lowest directory above the socket's through which others may not pass, by its mode. */
  Optional<Path> closedToOthers() throws IOException {
    for (Path above = directory.toAbsolutePath().normalize().getParent();
        above != null;
        above = above.getParent()) {
      if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        return Optional.of(above);
      }
    }
    return Optional.empty();
  }

  /**
   * Makes its directories private. Where others are served they may pass through the one with the
   * socket, and see nothing of what is in it.
   *
   * @param advice what mends it if that is refused, for the message
   */
  void prepare(String advice, ServedUsers served) throws IOException {
    if (served == ServedUsers.ALL) {
      PrivateDirectory.prepareToPass(directory, use, advice);
    } else {
      PrivateDirectory.prepare(directory, use, advice);
    }
    if (PoolKind.of(pool) != PoolKind.DEVICE) {
      PrivateDirectory.prepare(pool, use, advice);
    }
  }
}
