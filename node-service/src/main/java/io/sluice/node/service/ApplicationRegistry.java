package io.sluice.node.service;

import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applications that have tasks or outputs on this node, their users and their secrets. They are
 * kept in owner-only files beside the pool: so they outlive a restart of the service exactly as
 * long as the outputs do.
 *
 * <pre>
 * "SLA1" | int32 uid of the owner | secret
 * </pre>
 *
 * <p>Thread contract: safe from any thread. Ownership: files are removed by {@link #forget}.
 * Failure: {@link RemoteError} when an application is claimed with a second secret, or by a second
 * user.
 */
public final class ApplicationRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationRegistry.class);
  private static final int MAGIC = 0x534c4131; // "SLA1"
  private static final int UID_OFFSET = 4;
  private static final int SECRET_OFFSET = 8;
  private static final Pattern FILE_NAME =
      Pattern.compile(
          "[A-Za-z0-9_%-]{1," + (OutputId.MAX_LENGTH - RegistryBackup.TEMPORARY.length()) + "}");

  private final Path directory;
  private final RegistryBackup copies; // null: none
  private final Owner own;
  private final Map<String, Known> applications = new ConcurrentHashMap<>();
  private final Map<String, Long> lastHeardNs = new ConcurrentHashMap<>();

  /** The entry of an application. */
  private record Known(Owner owner, JobSecret secret) {
    /** As it lies in its file; one without the magic is a former release's, which knew one user. */
    static Known decode(byte[] bytes, Owner own) {
      ByteBuffer file = ByteBuffer.wrap(bytes);
      if (bytes.length <= SECRET_OFFSET || file.getInt(0) != MAGIC) {
        return new Known(own, new JobSecret(bytes));
      }
      byte[] secret = Arrays.copyOfRange(bytes, SECRET_OFFSET, bytes.length);
      return new Known(new Owner(file.getInt(UID_OFFSET)), new JobSecret(secret));
    }

    byte[] encode() {
      byte[] bytes = secret.bytes();
      return ByteBuffer.allocate(SECRET_OFFSET + bytes.length)
          .putInt(MAGIC)
          .putInt(owner.uid())
          .put(bytes)
          .array();
    }
  }

  private ApplicationRegistry(Path directory, RegistryBackup copies, Owner own) {
    this.directory = directory;
    this.copies = copies;
    this.own = own;
  }

  /** Where the directory is lost, makes it as the copies say. */
  static void restore(Path directory, RegistryBackup copies) throws IOException {
    if (Files.exists(directory)) {
      return; // which is never behind
    }
    Path restored = directory.resolveSibling(directory.getFileName() + ".restored");
    PrivateDirectory.delete(restored);
    Files.createDirectories(restored, PrivateDirectory.OWNER_ONLY);
    for (Map.Entry<String, byte[]> each : copies.all().entrySet()) {
      RegistryBackup.replace(restored.resolve(each.getKey()), each.getValue());
    }
    Files.move(restored, directory, StandardCopyOption.ATOMIC_MOVE); // all of them or none
  }

  /** The applications that an earlier service knew. */
  static Set<String> known(Path directory) throws IOException {
    Set<String> names = new HashSet<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          String name = file.getFileName().toString();
          if (!name.endsWith(RegistryBackup.TEMPORARY)) {
            names.add(name);
          }
        }
      }
    }
    return names;
  }

  /** The users of these applications, as far as they can be read. */
  static Map<String, Owner> owners(Path directory) throws IOException {
    Owner own = Owner.ofThisProcess();
    Map<String, Owner> owners = new HashMap<>();
    for (String applicationId : known(directory)) {
      try {
        byte[] bytes = Files.readAllBytes(directory.resolve(applicationId));
        owners.put(applicationId, Known.decode(bytes, own).owner());
      } catch (IllegalArgumentException e) {
        LOG.warn("The user of {} is not known: {}", applicationId, e.getMessage());
      }
    }
    return owners;
  }

  /**
   * Opens the registry in {@code directory}, with or without what it holds.
   *
   * @param copies is told of every change; null if nothing has to outlive the directory
   */
  static ApplicationRegistry open(Path directory, boolean recover, RegistryBackup copies)
      throws IOException {
    Files.createDirectories(directory, PrivateDirectory.OWNER_ONLY);
    ApplicationRegistry registry =
        new ApplicationRegistry(directory, copies, Owner.ofThisProcess());
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        // One that is half written was never acknowledged.
        if (recover && !name.endsWith(RegistryBackup.TEMPORARY)) {
          registry.load(name, file);
        } else {
          Files.delete(file);
        }
      }
    }
    if (copies != null) {
      registry.bringUpToDate(copies.all().keySet());
    }
    return registry;
  }

  private void bringUpToDate(Set<String> copied) {
    copied.stream().filter(name -> !applications.containsKey(name)).forEach(copies::forget);
    applications.forEach((applicationId, known) -> copies.keep(applicationId, known.encode()));
  }

  private void load(String applicationId, Path file) throws IOException {
    try {
      applications.put(applicationId, Known.decode(Files.readAllBytes(file), own));
      lastHeardNs.put(applicationId, System.nanoTime());
    } catch (IllegalArgumentException e) {
      // Its outputs are refused to every reader, and so produced again; others need the service.
      LOG.error("The secret of {} in {} is lost: {}", applicationId, file, e.getMessage());
      Files.delete(file); // else no start would ever take the application for ended
    }
  }

  /**
   * Keeps whose an application is, and its secret.
   *
   * @throws RemoteError if it is another one's, or has another secret, or it cannot be kept
   */
  void register(String applicationId, Owner owner, JobSecret secret) throws RemoteError {
    checkFileName(applicationId);
    synchronized (this) {
      Known known = applications.get(applicationId);
      Known claimed = new Known(owner, secret);
      if (known == null) {
        try {
          RegistryBackup.replace(directory.resolve(applicationId), claimed.encode());
        } catch (IOException e) {
          throw new RemoteError(
              RemoteError.Code.INTERNAL,
              "the secret of " + applicationId + " cannot be kept in " + directory + ": " + e);
        }
        applications.put(applicationId, claimed);
        if (copies != null) {
          copies.keep(applicationId, claimed.encode());
        }
      } else if (!known.owner().equals(owner)) {
        throw new RemoteError(
            RemoteError.Code.REFUSED,
            "%s is known on this node as user id %s's, the task runs as %s"
                .formatted(applicationId, known.owner(), owner));
      } else if (!known.secret().equals(secret)) {
        throw new RemoteError(
            RemoteError.Code.REFUSED,
            applicationId + " is known on this node with another job secret");
      }
      lastHeardNs.put(applicationId, System.nanoTime());
    }
  }

  // The id comes from a task and becomes a file name; an engine with another kind of id encodes it.
  private static void checkFileName(String applicationId) throws RemoteError {
    if (!FILE_NAME.matcher(applicationId).matches()) {
      throw new RemoteError(
          RemoteError.Code.BAD_REQUEST,
          "application id '" + applicationId + "' does not match " + FILE_NAME);
    }
  }

  /** The application's secret, or null; asked for when a reader comes. */
  JobSecret secretOf(String applicationId) {
    lastHeardNs.computeIfPresent(applicationId, (id, ns) -> System.nanoTime());
    Known known = applications.get(applicationId);
    return known == null ? null : known.secret();
  }

  /** The user of an application; empty if it is not known. */
  public Optional<Owner> ownerOf(String applicationId) {
    return Optional.ofNullable(applications.get(applicationId)).map(Known::owner);
  }

  /** Applications of which neither a task nor a reader has come for so long. */
  public Set<String> notHeardOf(long sinceMs) {
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
    if (applications.containsKey(applicationId)) {
      Files.deleteIfExists(directory.resolve(applicationId)); // first: what fails is tried again
      applications.remove(applicationId);
      if (copies != null) {
        copies.forget(applicationId);
      }
    }
  }
}
