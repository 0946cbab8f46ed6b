package io.sluice.node.wire;

import io.sluice.spill.segment.Owner;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;

/**
 * The data that a node service gives the tasks of its node in the environment that the engine sets.
 * A NodeManager puts it there in Base64. No class of YARN is needed to read it: Spark's executors
 * may have none.
 *
 * <pre>
 *   0        4        6       7
 *   +--------+--------+-------+---------------------------------------------------------------
 *   | "SLCE" | version| state | RUNNING:  user id (4), pool id (16), socket path, pool path, port, medium
 *   +--------+--------+-------+ DEGRADED: reason
 * </pre>
 *
 * @param degradedReason why the service does not work, empty if it does
 * @param owner the user that the service runs as; of one that works
 * @param poolId identifies the pool; a reader whose own node shows the same one maps it in place
 * @param pool the pool's directory or device
 * @param address of the service; without a host, since its tasks are on the same one
 */
public record NodeMetadata(
    String degradedReason, Owner owner, UUID poolId, Path pool, ServiceAddress address) {
  /** How NodeManagers' configurations call the service. */
  public static final String AUXILIARY_SERVICE = "sluice_shuffle";

  private static final String VARIABLE = "NM_AUX_SERVICE_" + AUXILIARY_SERVICE;
  private static final int MAGIC = 0x534c4345;
  private static final int VERSION = 3;
  private static final int RUNNING = 1;
  private static final int DEGRADED = 2;
  private static final int MAX_REASON_CHARS = 1000;
  private static final Owner NOBODY = new Owner(-1);

  /** Of a service that works. */
  public static NodeMetadata running(
      Owner owner, UUID poolId, Path socket, Path pool, int controlPort, String medium) {
    return new NodeMetadata(
        "", owner, poolId, pool, new ServiceAddress("", controlPort, socket, medium));
  }

  /** Of a service that could not start; {@code reason} may be anything, even null. */
  public static NodeMetadata degraded(String reason) {
    String text = reason == null || reason.isEmpty() ? "it did not say why" : reason;
    text = text.substring(0, Math.min(text.length(), MAX_REASON_CHARS));
    return new NodeMetadata(
        text, NOBODY, new UUID(0, 0), Path.of(""), new ServiceAddress("", 0, Path.of(""), ""));
  }

  /**
   * Finds that of a service that works.
   *
   * @param environment of the container
   * @throws IOException if there is no service, it is of another release, or does not work
   */
  public static NodeMetadata find(Map<String, String> environment) throws IOException {
    String encoded = environment.getOrDefault(VARIABLE, "");
    if (encoded.isEmpty()) {
      throw new IOException(
          "this node's NodeManager runs no auxiliary service "
              + AUXILIARY_SERVICE
              + "; see yarn.nodemanager.aux-services");
    }
    NodeMetadata metadata;
    try {
      metadata = decode(Base64.getDecoder().decode(encoded));
    } catch (IllegalArgumentException e) {
      throw new IOException(VARIABLE + " is not of Sluice's service", e);
    }
    if (!metadata.isRunning()) {
      throw new IOException(
          "this node's Sluice service could not start: " + metadata.degradedReason());
    }
    return metadata;
  }

  /** Whether tasks can use the service. */
  public boolean isRunning() {
    return degradedReason.isEmpty();
  }

  /** The bytes of this. */
  public byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(MAGIC);
      out.writeShort(VERSION);
      out.writeByte(isRunning() ? RUNNING : DEGRADED);
      if (isRunning()) {
        out.writeInt(owner.uid());
        out.writeLong(poolId.getMostSignificantBits());
        out.writeLong(poolId.getLeastSignificantBits());
        Bounded.writeString(out, address.socket().toString());
        Bounded.writeString(out, pool.toString());
        out.writeInt(address.controlPort());
        Bounded.writeString(out, address.medium());
      } else {
        Bounded.writeString(out, degradedReason);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws ProtocolException if the bytes are something else or of another version
   */
  public static NodeMetadata decode(byte[] bytes) throws IOException {
    try {
      return decodeWhole(bytes);
    } catch (EOFException | InvalidPathException e) {
      ProtocolException failure =
          new ProtocolException(
              "node metadata of " + bytes.length + " bytes is cut short or broken");
      failure.initCause(e);
      throw failure;
    }
  }

  private static NodeMetadata decodeWhole(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int magic = in.readInt();
    int version = in.readUnsignedShort();
    if (magic != MAGIC) {
      throw new ProtocolException(
          String.format("node metadata has magic %08x, expected %08x", magic, MAGIC));
    }
    if (version != VERSION) {
      throw new ProtocolException(
          ("the NodeManager's Sluice is of another release: its metadata have version %s,"
                  + " this job's have %s")
              .formatted(version, VERSION));
    }
    int state = in.readUnsignedByte();
    if (state == DEGRADED) {
      return degraded(Bounded.readString(in));
    }
    if (state != RUNNING) {
      throw new ProtocolException("node metadata has state " + state + ", expected 1 or 2");
    }
    Owner owner = new Owner(in.readInt());
    UUID poolId = new UUID(in.readLong(), in.readLong());
    Path socket = Path.of(Bounded.readString(in));
    Path pool = Path.of(Bounded.readString(in));
    return running(owner, poolId, socket, pool, in.readInt(), Bounded.readString(in));
  }
}
