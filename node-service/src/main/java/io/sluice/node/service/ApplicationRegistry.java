package io.sluice.node.service;

import io.sluice.node.local.LocalServer;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applications that have tasks or outputs on this node, and their secrets, kept in owner-only
 * files beside the pool so that they outlive a restart of the service exactly as long as the
 * outputs do.
 *
 * <p>Thread contract: safe from any thread. Ownership: files are removed by {@link #forget}.
 * Failure: {@link RemoteError} when an application is claimed with a second secret.
 */
final class ApplicationRegistry implements LocalServer.SecretRegistry {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationRegistry.class);
  private static final String TEMPORARY = ".new";
  private static final Pattern FILE_NAME =
      Pattern.compile("[A-Za-z0-9_-]{1," + (OutputId.MAX_LENGTH - TEMPORARY.length()) + "}");

  private final Path directory;
  private final Map<String, JobSecret> secrets = new ConcurrentHashMap<>();
  private final Map<String, Long> lastHeardNs = new ConcurrentHashMap<>();

  private ApplicationRegistry(Path directory) {
    this.directory = directory;
  }

  /** The applications that an earlier service knew. */
  static Set<String> known(Path directory) throws IOException {
    Set<String> names = new HashSet<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          String name = file.getFileName().toString();
          if (!name.endsWith(TEMPORARY)) {
            names.add(name);
          }
        }
      }
    }
    return names;
  }

  /** Opens the registry in {@code directory}, with or without what it holds. */
  static ApplicationRegistry open(Path directory, boolean recover) throws IOException {
    Files.createDirectories(directory, PrivateDirectory.OWNER_ONLY);
    ApplicationRegistry registry = new ApplicationRegistry(directory);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        // One that is half written was never acknowledged.
        if (recover && !name.endsWith(TEMPORARY)) {
          registry.load(name, file);
        } else {
          Files.delete(file);
        }
      }
    }
    return registry;
  }

  private void load(String applicationId, Path file) throws IOException {
    try {
      secrets.put(applicationId, new JobSecret(Files.readAllBytes(file)));
      lastHeardNs.put(applicationId, System.nanoTime());
    } catch (IllegalArgumentException e) {
      // Its outputs are refused to every reader, and so produced again; others need the service.
      LOG.error("The secret of {} in {} is lost: {}", applicationId, file, e.getMessage());
      Files.delete(file); // else no start would ever take the application for ended
    }
  }

  @Override
  public void register(String applicationId, JobSecret secret) throws RemoteError {
    checkFileName(applicationId);
    synchronized (this) {
      JobSecret known = secrets.get(applicationId);
      if (known == null) {
        try {
          store(applicationId, secret);
        } catch (IOException e) {
          throw new RemoteError(
              RemoteError.Code.INTERNAL,
              "the secret of " + applicationId + " cannot be kept in " + directory + ": " + e);
        }
        secrets.put(applicationId, secret);
      } else if (!known.equals(secret)) {
        throw new RemoteError(
            RemoteError.Code.REFUSED,
            applicationId + " is known on this node with another job secret");
      }
      lastHeardNs.put(applicationId, System.nanoTime());
    }
  }

  // The id comes from a task and becomes a file name.
  private static void checkFileName(String applicationId) throws RemoteError {
    if (!FILE_NAME.matcher(applicationId).matches()) {
      throw new RemoteError(
          RemoteError.Code.BAD_REQUEST,
          "application id '" + applicationId + "' does not match " + FILE_NAME);
    }
  }

  private void store(String applicationId, JobSecret secret) throws IOException {
    Path temporary = directory.resolve(applicationId + TEMPORARY);
    Files.deleteIfExists(temporary);
    Files.createFile(temporary, OWNER_ONLY);
    Files.write(temporary, secret.bytes());
    Files.move(temporary, directory.resolve(applicationId), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The application's secret, or null; asked for when a reader comes. */
  JobSecret secretOf(String applicationId) {
    lastHeardNs.computeIfPresent(applicationId, (id, ns) -> System.nanoTime());
    return secrets.get(applicationId);
  }

  /** Applications of which neither a task nor a reader has come for so long. */
  Set<String> notHeardOf(long sinceMs) {
    long sinceNs = TimeUnit.MILLISECONDS.toNanos(sinceMs);
    Set<String> found = new HashSet<>();
    lastHeardNs.forEach(
        (applicationId, ns) -> {
          if (System.nanoTime() - ns >= sinceNs) {
            found.add(applicationId);
          }
        });
    return found;
  }

  /** Forgets an application, known or not. */
  synchronized void forget(String applicationId) throws IOException {
    lastHeardNs.remove(applicationId);
    if (secrets.remove(applicationId) != null) {
      Files.deleteIfExists(directory.resolve(applicationId));
    }
  }
}
