package io.sluice.node.service;

import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories of a service: one for all if that can hold ordinary files; else the pool lies
 * elsewhere, on huge pages or a device.
 *
 * @param directory for the socket and the registry of applications
 * @param pool a directory or a device
 * @param use who opens the files of the pool
 */
public record ServiceDirectories(Path directory, Path pool, PoolVisibility use) {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectories.class);
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

  /** Says what tasks of other users cannot find out by themselves. */
  void warnOfOtherUsers() throws IOException {
    Optional<Path> closed = closedToOthers();
    closed.ifPresent(
        above ->
            LOG.warn(
                "Tasks of other users cannot reach {}, unless an access list lets them: {} is"
                    + " closed to them",
                directory,
                above));
    PoolKind.of(pool)
        .oneOwnerBecause()
        .ifPresent(
            reason ->
                LOG.warn(
                    "The memory of {} serves tasks of this service's own user alone ({}); outputs"
                        + " of other users go to disk",
                    pool,
                    reason));
  }

  /**
   * Makes its directories private. If other users are served, they may pass through the one with
   * the socket, but not list it.
   *
   * @param advice how to mend a refusal, for the message
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
