package io.sluice.spark.service;

import io.sluice.node.service.ServiceDirectory;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spill.segment.OwnPlace;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * What a node service says to the executors of its node. One that runs by itself leaves it in its
 * directory, where only its own user can read it; it is there while the service runs, and after the
 * service was killed. That of a NodeManager is in the environment of every container.
 *
 * @param host at which other nodes reach the service; empty if that is the executors' own
 * @param controlPort its port
 * @param socket its Unix socket
 * @param medium how its pool is written
 */
public record ServiceNotice(String host, int controlPort, Path socket, String medium) {
  /** Where Hadoop puts what the auxiliary service of that name says, in Base64. */
  static final String YARN_VARIABLE = "NM_AUX_SERVICE_sluice_shuffle";

  private static final String FILE = "service.properties";

  static ServiceNotice of(String host, NodeMetadata metadata) {
    return new ServiceNotice(host, metadata.controlPort(), metadata.socket(), metadata.medium());
  }

  /** Puts it into the directory, all at once. */
  void write(Path directory) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("host", host);
    properties.setProperty("port", Integer.toString(controlPort));
    properties.setProperty("medium", medium);
    StringWriter text = new StringWriter();
    properties.store(text, "of the running Sluice node service");
    Path temporary = directory.resolve(FILE + ".new");
    Files.writeString(temporary, text.toString());
    Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Reads that of the service of this node.
   *
   * @param service {@link SparkSettings#YARN_SERVICE}, or the service's directory
   * @param environment of this process
   * @throws IOException if there is none
   */
  static ServiceNotice find(String service, Map<String, String> environment) throws IOException {
    return service.equals(SparkSettings.YARN_SERVICE)
        ? ofNodeManager(environment)
        : read(Path.of(service));
  }

  private static ServiceNotice ofNodeManager(Map<String, String> environment) throws IOException {
    String encoded = environment.get(YARN_VARIABLE);
    if (encoded == null) {
      throw new IOException(
          "the NodeManager of this executor has no auxiliary service sluice_shuffle");
    }
    NodeMetadata metadata;
    try {
      metadata = NodeMetadata.decode(Base64.getDecoder().decode(encoded));
    } catch (IllegalArgumentException e) {
      throw new IOException(YARN_VARIABLE + " is not of Sluice's service", e);
    }
    if (!metadata.isRunning()) {
      throw new IOException(
          "the NodeManager's Sluice service could not start: " + metadata.degradedReason());
    }
    return of("", metadata);
  }

  /** Only out of a directory that is this user's own: whoever else made it would be believed. */
  static ServiceNotice read(Path directory) throws IOException {
    OwnPlace.require(directory);
    Properties properties = new Properties();
    try (Reader text = new StringReader(Files.readString(directory.resolve(FILE)))) {
      properties.load(text);
      return new ServiceNotice(
          properties.getProperty("host"),
          Integer.parseInt(properties.getProperty("port")),
          ServiceDirectory.socket(directory),
          Objects.requireNonNull(properties.getProperty("medium")));
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new IOException(directory.resolve(FILE) + " is of another release of Sluice", e);
    }
  }

  /** Removes that of a service that ends. */
  static void remove(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }
}
