package io.sluice.node.service;

import io.sluice.node.local.LocalServer;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.OutputId;
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
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final String TEMPORARY = ".new";

  private final Path directory;
  private final Map<String, JobSecret> secrets = new ConcurrentHashMap<>();

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
    Files.createDirectories(directory, OWNER_ONLY_DIRECTORY);
    ApplicationRegistry registry = new ApplicationRegistry(directory);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        // An id that is half written was never acknowledged.
        if (recover && !name.endsWith(TEMPORARY)) {
          registry.secrets.put(name, new JobSecret(Files.readAllBytes(file)));
        } else {
          Files.delete(file);
        }
      }
    }
    return registry;
  }

  @Override
  public void register(String applicationId, JobSecret secret) throws IOException {
    checkFileName(applicationId);
    synchronized (this) {
      JobSecret known = secrets.get(applicationId);
      if (known == null) {
        store(applicationId, secret);
        secrets.put(applicationId, secret);
      } else if (!known.equals(secret)) {
        throw new RemoteError(
            RemoteError.Code.REFUSED,
            applicationId + " is known on this node with another job secret");
      }
    }
  }

  // The id comes from a task and becomes a file name.
  private static void checkFileName(String applicationId) throws RemoteError {
    boolean plain =
        applicationId.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_' || c == '-');
    if (!plain || applicationId.isEmpty() || applicationId.length() > OutputId.MAX_LENGTH) {
      throw new RemoteError(
          RemoteError.Code.BAD_REQUEST,
          "application id '"
              + applicationId
              + "' has characters other than letters, digits, - and _");
    }
  }

  private void store(String applicationId, JobSecret secret) throws IOException {
    Path temporary = directory.resolve(applicationId + TEMPORARY);
    Files.deleteIfExists(temporary);
    Files.createFile(temporary, OWNER_ONLY);
    Files.write(temporary, secret.bytes());
    Files.move(temporary, directory.resolve(applicationId), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The application's secret, or null. */
  JobSecret secretOf(String applicationId) {
    return secrets.get(applicationId);
  }

  /** Forgets an application, known or not. */
  synchronized void forget(String applicationId) throws IOException {
    if (secrets.remove(applicationId) != null) {
      Files.deleteIfExists(directory.resolve(applicationId));
    }
  }
}
