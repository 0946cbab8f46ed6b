package io.sluice.spark.service;

import io.sluice.node.wire.NodeMetadata;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/**
 * What a node service leaves in its directory for the executors of its node; only its own user can
 * read that. It is there while the service runs, and after the service was killed.
 *
 * @param host at which other nodes reach the service; empty if that is the executors' own
 * @param controlPort its port
 * @param socket its Unix socket
 * @param medium how its pool is written
 */
public record ServiceNotice(String host, int controlPort, Path socket, String medium) {
  private static final String FILE = "service.properties";

  static ServiceNotice of(String host, NodeMetadata metadata) {
    return new ServiceNotice(host, metadata.controlPort(), metadata.socket(), metadata.medium());
  }

  /** Puts it into the directory, all at once. */
  void write(Path directory) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("host", host);
    properties.setProperty("port", Integer.toString(controlPort));
    properties.setProperty("socket", socket.toString());
    properties.setProperty("medium", medium);
    StringWriter text = new StringWriter();
    properties.store(text, "of the running Sluice node service");
    Path temporary = directory.resolve(FILE + ".new");
    Files.writeString(temporary, text.toString());
    Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Reads that of the service in a directory.
   *
   * @throws IOException if there is none
   */
  public static ServiceNotice read(Path directory) throws IOException {
    Properties properties = new Properties();
    try (Reader text = new StringReader(Files.readString(directory.resolve(FILE)))) {
      properties.load(text);
      return new ServiceNotice(
          properties.getProperty("host"),
          Integer.parseInt(properties.getProperty("port")),
          Path.of(properties.getProperty("socket")),
          properties.getProperty("medium"));
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new IOException(directory.resolve(FILE) + " is of another release of Sluice", e);
    }
  }

  /** Removes that of a service that ends. */
  static void remove(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }
}
