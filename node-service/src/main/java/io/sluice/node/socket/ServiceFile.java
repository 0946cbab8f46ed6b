package io.sluice.node.socket;

import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.spill.segment.PrivateDirectory.PrivateFile;
import io.sluice.spill.segment.TrustedPath;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;

/**
 * The address of a service that runs by itself, as it leaves it in its directory, where only its
 * own user can read it: there while the service runs, and after it was killed. Unlike a {@link
 * NodeMetadata} it is found by the directory's name.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException}.
 */
public final class ServiceFile {
  private static final String NAME = "service.properties";

  private ServiceFile() {}

  /** Puts it into the directory, which must be this user's own, all at once. */
  public static void write(Path directory, ServiceAddress address) throws IOException {
    TrustedPath.require(directory);
    Properties properties = new Properties();
    properties.setProperty("host", address.host());
    properties.setProperty("port", Integer.toString(address.controlPort()));
    properties.setProperty("medium", address.medium());
    StringWriter text = new StringWriter();
    properties.store(text, "of the running Sluice node service");
    PrivateFile.replace(directory.resolve(NAME), text.toString());
  }

  /** Whether it was removed, by a cleaner of temporary files perhaps. */
  public static boolean isGone(Path directory) {
    return Files.notExists(directory.resolve(NAME), LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Reads it, only out of a directory of this user's own: another user could announce anything.
   *
   * @throws IOException if there is none, or it is of another release
   */
  public static ServiceAddress read(Path directory) throws IOException {
    TrustedPath.require(directory);
    Properties properties = new Properties();
    try (Reader text = new StringReader(Files.readString(directory.resolve(NAME)))) {
      properties.load(text);
      return new ServiceAddress(
          Objects.requireNonNull(properties.getProperty("host")),
          Integer.parseInt(properties.getProperty("port")),
          ServiceAddress.socketIn(directory),
          Objects.requireNonNull(properties.getProperty("medium")));
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new IOException(directory.resolve(NAME) + " is of another release of Sluice", e);
    }
  }

  /** Removes that of a service that ends. */
  public static void remove(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(NAME));
  }
}
