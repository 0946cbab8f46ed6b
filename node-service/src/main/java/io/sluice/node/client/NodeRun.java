package io.sluice.node.client;

import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * One run of a located output, ready to be read once.
 *
 * <p>Thread contract: one thread at a time; handing it over needs a happens-before. Ownership: who
 * located it closes it, or hands {@link #input} to a cursor that does.
 */
public final class NodeRun implements Closeable {
  private final NodeAddress address;
  private final String outputId;
  private final String name;
  private final Run run;
  private final boolean encrypted;
  private final RunInput input;
  private final RemoteRunInput remote;

  private NodeRun(
      NodeAddress address,
      String outputId,
      String name,
      Run run,
      RunKey key,
      LocalRunInput local,
      RemoteRunInput remote,
      LongConsumer counter) {
    this.address = address;
    this.outputId = outputId;
    this.name = name;
    this.run = run;
    this.encrypted = key != null;
    this.remote = remote;
    this.input =
        new NodeRunInput(outputId, name, local != null ? local : remote, run, key, counter);
  }

  static NodeRun local(
      NodeAddress address,
      String outputId,
      String name,
      Run run,
      RunKey key,
      LocalRunInput input,
      ReadStats stats) {
    return new NodeRun(
        address,
        outputId,
        name,
        run,
        key,
        input,
        null,
        bytes -> stats.read(ReadStats.LOCAL, bytes));
  }

  static NodeRun remote(
      NodeAddress address,
      String outputId,
      String name,
      Run run,
      RunKey key,
      RemoteRunInput input) {
    return new NodeRun(
        address, outputId, name, run, key, null, input, bytes -> {}); // counts for itself
  }

  /** The node that it was located at. */
  public NodeAddress address() {
    return address;
  }

  /** The output it belongs to. */
  public String outputId() {
    return outputId;
  }

  /** How messages call it. */
  public String name() {
    return name;
  }

  /** The partition it belongs to. */
  public int partition() {
    return run.partition();
  }

  /** Bytes of {@link #input}: fewer than are stored if they are encrypted. */
  public long plainLengthBytes() {
    return encrypted ? DecryptedRunInput.plainBytes(run.lengthBytes()) : run.lengthBytes();
  }

  /** Bytes as they are stored. */
  public long lengthBytes() {
    return run.lengthBytes();
  }

  /** Bytes that are read of it, decompressed. */
  public long rawLengthBytes() {
    return run.rawLengthBytes();
  }

  /** Mean length of its records, before they were compressed. */
  public long meanRecordBytes() {
    return run.rawLengthBytes() / Math.max(1, run.records());
  }

  /** Whether it lies in the memory of this node's own pool and needs no transfer. */
  public boolean isLocal() {
    return remote == null;
  }

  /** Its bytes, verified, and decrypted if they are encrypted, while they are read. */
  public RunInput input() {
    return input;
  }

  /**
   * Starts to fetch up to {@code windows} windows of a remote run; nothing for a local one.
   *
   * @return false if that failed: it is found again when the run is read
   */
  public boolean prefetch(int windows) {
    if (remote == null) {
      return true;
    }
    remote.setWindows(windows);
    remote.prefetch(0);
    return !remote.hasFailed();
  }

  /**
   * Starts to fetch a remote run that is to be read later, into up to {@code windows} windows. A
   * quarter of all windows stays free for runs that are being read, so that whoever waits for one
   * need not wait for a run that is waiting itself.
   *
   * @return whether all of it is on its way, as a local one is
   */
  public boolean fetchAhead(int windows) {
    if (remote == null) {
      return true;
    }
    remote.setWindows(windows);
    return remote.prefetch(Math.max(1, remote.windowCount() / 4));
  }

  /** Gives back the windows of a remote run; it goes on where it was when it is read again. */
  public void suspend() {
    if (remote != null) {
      remote.suspend();
    }
  }

  void prepareMerge(int windows) {
    if (remote != null) {
      remote.setWindows(windows);
    }
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
