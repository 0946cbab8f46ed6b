package io.sluice.node.remote;

import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.transport.Ticket;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.OutputId;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests of one authenticated reader.
 *
 * <p>Thread contract: one thread, that of the connection; a slow copy holds up this reader alone.
 * Ownership: {@link RemoteServer} opens and closes what is used here. Failure: a request that
 * cannot be answered is refused with its reason and the next one is read; what is no request ends
 * the conversation.
 */
final class ReaderSession {
  private static final Logger LOG = LoggerFactory.getLogger(ReaderSession.class);
  private static final long TIMEOUT_MS = 30_000;

  /** Most heap that a description takes while it is gathered and sent. */
  static final long DESCRIBE_BYTES = 3 << 20;

  /** The same of one that is sent while it is read. */
  private static final long LONG_DESCRIBE_BYTES = 512 << 10;

  private static final long VERIFY_BYTES = 4L * BlockChecksums.BLOCK_BYTES;

  /**
   * Bytes of the heap for each byte of a request, and for each that is gathered or inlined for an
   * answer.
   */
  private static final int HEAP_OF_REQUEST = 4;

  private static final int HEAP_OF_GATHERED = 8;
  private static final int HEAP_OF_INLINED = 3;

  private final Frames frames;
  private final RemoteBackend backend;
  private final String applicationId;
  private final AuthenticatedReader reader;
  private final Acceptor.Peer peer;
  private final long idleTimeoutMs;
  private boolean staysConnected;
  private HeapBudget.Held heap; // of the request that is being answered; null: none
  private long requestHeapBytes; // of these, for the request alone

  /**
   * Answers nothing yet.
   *
   * @param idleTimeoutMs a reader that asks nothing for so long is cut off; it may come again
   */
  ReaderSession(
      Frames frames,
      RemoteBackend backend,
      String applicationId,
      AuthenticatedReader reader,
      Acceptor.Peer peer,
      long idleTimeoutMs) {
    this.frames = frames;
    this.backend = backend;
    this.applicationId = applicationId;
    this.reader = reader;
    this.peer = peer;
    this.idleTimeoutMs = idleTimeoutMs;
  }

  /** Answers until the reader goes away, which is an {@link EOFException}. */
  void serve() throws IOException {
    while (true) {
      try {
        serveOne();
      } finally {
        giveHeapBack();
      }
      if (!staysConnected) {
        peer.unused();
      }
    }
  }

  private void serveOne() throws IOException {
    Frames.Frame request;
    try {
      request =
          frames.receive(
              RemoteProtocol.MAX_REQUEST_BYTES, this::takeLong, idleTimeoutMs, TIMEOUT_MS);
    } catch (RemoteError e) {
      refuse(e.code(), e.getMessage());
      return;
    }
    checkNotReplaced();
    DataInputStream in = request.in();
    staysConnected |= !isQuestion(request.type());
    switch (request.type()) {
      case RemoteProtocol.DESCRIBE -> answer(() -> describe(in));
      case RemoteProtocol.VERIFY -> answer(() -> verify(in));
      case RemoteProtocol.BOUNCE -> answer(() -> bounce(in));
      case RemoteProtocol.ADMIT -> answer(() -> admit(in));
      case RemoteProtocol.FREE -> answer(() -> free(in));
      case RemoteProtocol.FREE_OUTPUT -> answer(() -> freeOutput(in));
      case RemoteProtocol.FREE_BELOW -> answer(() -> freeBelow(in));
      case RemoteProtocol.RELEASE -> reader.slots().release(in.readLong());
      default -> throw new ProtocolException("unknown request type " + request.type());
    }
  }

  private void checkNotReplaced() throws EOFException {
    if (!peer.used()) {
      throw new EOFException(
          "another reader has replaced this one"); // this one asks again elsewhere
    }
  }

  /** Takes heap for a long request and its answer at once: a holder of heap must not wait. */
  private void takeLong(int lengthBytes) throws IOException {
    checkNotReplaced(); // first: a reader that waits is not unused
    requestHeapBytes = (long) HEAP_OF_REQUEST * lengthBytes;
    heap = reader.heap(requestHeapBytes + DESCRIBE_BYTES);
  }

  /** Takes heap for an answer, unless that was done with its request. */
  private void takeHeap(long bytes) throws RemoteError {
    if (heap == null) {
      heap = reader.heap(bytes);
    }
  }

  private void giveHeapBack() {
    if (heap != null) {
      heap.close();
    }
    heap = null;
    requestHeapBytes = 0;
  }

  /** Slots end with the connection, and a reader that frees may have more to free. */
  private static boolean isQuestion(int type) {
    return type == RemoteProtocol.DESCRIBE
        || type == RemoteProtocol.VERIFY
        || type == RemoteProtocol.ADMIT;
  }

  private interface Request {
    Frames.Payload answer() throws IOException;
  }

  private void answer(Request request) throws IOException {
    Frames.Payload payload;
    try {
      payload = request.answer();
    } catch (EOFException | ProtocolException | IllegalArgumentException e) {
      refuse(RemoteError.Code.BAD_REQUEST, e.toString());
      return;
    } catch (RemoteError e) {
      refuse(e.code(), e.getMessage());
      return;
    } catch (IOException e) {
      LOG.warn("A request of a reader of {} failed", applicationId, e);
      refuse(RemoteError.Code.INTERNAL, e.toString());
      return;
    }
    try {
      frames.send(Replies.OK, payload, TIMEOUT_MS);
    } catch (ProtocolException e) {
      // Too long, and found so before any of it was sent.
      refuse(RemoteError.Code.BAD_REQUEST, e.getMessage());
    }
  }

  private interface Lookup<T> {
    T find() throws IOException;
  }

  /** The request was understood: a failure from here on is not the reader's fault. */
  private static <T> T fromBackend(Lookup<T> lookup) throws IOException {
    try {
      return lookup.find();
    } catch (EOFException | ProtocolException | IllegalArgumentException e) {
      throw new IOException("what was asked for could not be read: " + e, e);
    }
  }

  private void refuse(RemoteError.Code code, String message) throws IOException {
    Replies.sendError(frames, code, message, TIMEOUT_MS);
  }

  private Frames.Payload describe(DataInputStream in) throws IOException {
    PartitionRange partitions = new PartitionRange(in.readInt(), in.readInt());
    int inlinedRunBytes = in.readInt();
    takeHeap(DESCRIBE_BYTES);
    List<String> outputIds = readOutputIds(in);
    try {
      return written(
          fromBackend(
              () -> backend.describe(applicationId, partitions, outputIds, inlinedRunBytes)));
    } catch (RemoteError e) {
      boolean divisible = outputIds.size() > 1 || partitions.count() > 1; // as the reader does then
      if (divisible || e.code() != RemoteError.Code.TOO_MUCH) {
        throw e;
      }
    }
    OutputId id = new OutputId(applicationId, outputIds.get(0));
    Optional<LongRunLocations> described =
        fromBackend(() -> backend.describeLong(id, partitions.first()));
    heap.shrinkTo(requestHeapBytes + LONG_DESCRIBE_BYTES);
    return described.isPresent()
        ? described.get()
        : written(new OutputLocations(Map.of(), Map.of()));
  }

  /** The peer may take its time to receive it, and holds no more meanwhile than it takes. */
  private Frames.Payload written(OutputLocations description) {
    long inlinedBytes = description.inlined().values().stream().mapToLong(run -> run.length).sum();
    heap.shrinkTo(
        requestHeapBytes
            + Frames.MAX_SHORT_BYTES
            + HEAP_OF_GATHERED * description.gatheredBytes()
            + HEAP_OF_INLINED * inlinedBytes);
    return out -> RemoteProtocol.writeDescription(out, description, backend.places());
  }

  private Frames.Payload verify(DataInputStream in) throws IOException {
    int partition = in.readInt();
    takeHeap(VERIFY_BYTES);
    OutputId id = new OutputId(applicationId, Bounded.readString(in));
    boolean damaged = fromBackend(() -> backend.isDamaged(id, partition));
    return out -> out.writeByte(damaged ? 1 : 0);
  }

  private Frames.Payload bounce(DataInputStream in) throws IOException {
    BounceRange range = reader.slots().bounce(BounceRequest.read(in));
    return range::write;
  }

  private Frames.Payload admit(DataInputStream in) throws IOException {
    String transport = Bounded.readString(in);
    Set<InetAddress> from = new HashSet<>();
    int count = Bounded.readCount(in, RemoteProtocol.MAX_ADDRESSES, "addresses");
    for (int i = 0; i < count; i++) {
      byte[] address = Bounded.readBytes(in, RemoteProtocol.MAX_ADDRESS_BYTES);
      try {
        from.add(InetAddress.getByAddress(address));
      } catch (UnknownHostException e) {
        throw new ProtocolException("an address of " + address.length + " bytes");
      }
    }
    frames.peerAddress().ifPresent(from::add);
    Ticket ticket = reader.expect(transport, from);
    return out -> {
      out.writeLong(ticket.high());
      out.writeLong(ticket.low());
    };
  }

  private Frames.Payload free(DataInputStream in) throws IOException {
    String prefix = Bounded.readString(in);
    if (prefix.isEmpty()) {
      backend.applicationStopped(applicationId);
    } else {
      backend.freeOutputs(applicationId, prefix);
    }
    return out -> {};
  }

  private Frames.Payload freeOutput(DataInputStream in) throws IOException {
    backend.freeOutput(new OutputId(applicationId, Bounded.readString(in)));
    return out -> {};
  }

  private Frames.Payload freeBelow(DataInputStream in) throws IOException {
    backend.freeOutputsBelow(applicationId, Bounded.readString(in), in.readLong());
    return out -> {};
  }

  private static List<String> readOutputIds(DataInputStream in) throws IOException {
    int count = Bounded.readCount(in, RemoteProtocol.MAX_OUTPUTS, "outputs");
    List<String> outputIds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String outputId = Bounded.readString(in);
      OutputId.check("output id", outputId);
      outputIds.add(outputId);
    }
    return outputIds;
  }
}
