package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.support.PendingRead;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The part of a read that one work request does. A long read has several.
 *
 * <p>Thread contract: the caller of the read creates the parts; any thread may count their
 * completions.
 *
 * @param read the whole read
 * @param missingBytes how much of the whole read has not arrived
 */
record ReadPart(
    PendingRead read,
    AtomicInteger missingBytes,
    long localAddress,
    int localKey,
    long remoteAddress,
    int remoteKey,
    int lengthBytes) {
  /** The bytes of one work request; every known device takes more in one message, rxe 8 MiB. */
  static final int MAX_BYTES = 4 << 20;

  /** The parts of a read; none if it reads no bytes. */
  static List<ReadPart> of(
      PendingRead read, long localAddress, int localKey, long remoteAddress, int remoteKey) {
    AtomicInteger missingBytes = new AtomicInteger(read.lengthBytes());
    List<ReadPart> parts = new ArrayList<>();
    for (int at = 0; at < read.lengthBytes(); ) {
      int lengthBytes = Math.min(MAX_BYTES, read.lengthBytes() - at);
      parts.add(
          new ReadPart(
              read,
              missingBytes,
              localAddress + at,
              localKey,
              remoteAddress + at,
              remoteKey,
              lengthBytes));
      at += lengthBytes;
    }
    return parts;
  }

  /** The part has arrived; the last one completes the read. */
  void arrived() {
    if (missingBytes.addAndGet(-lengthBytes) == 0) {
      read.succeed();
    }
  }
}
