package io.sluice.node.remote;

import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Ticket;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Gives a {@link RemoteServer} its answers.
 *
 * <p>Thread contract: called from the thread of any connection, many at a time. Failure: an {@link
 * IOException} refuses the request, with its reason, and not the reader.
 */
public interface RemoteBackend {
  /** The secret of an application, or null if nothing of it is on this node. */
  JobSecret secretOf(String applicationId);

  /** This node's pool. */
  UUID poolId();

  /** The directories of this node's pool. */
  PoolPaths places();

  /** This node's transports, preferred first, with what anybody may read over each, to try it. */
  List<ProbeOffer> probe();

  /**
   * Where some partitions of these outputs lie.
   *
   * @param inlinedRunBytes up to which length the bytes of a run may come along; 0 for none
   * @throws io.sluice.node.wire.RemoteError TOO_MUCH if that is too long for one answer
   */
  OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException;

  /**
   * The same of one partition of one output; empty if it is not here.
   *
   * @throws io.sluice.node.wire.RemoteError TOO_MUCH if that is too long for one message
   */
  Optional<LongRunLocations> describeLong(OutputId id, int partition) throws IOException;

  /**
   * Whether a partition of an output is damaged where it lies; it is not located any more then.
   * False for an output that is not here.
   */
  boolean isDamaged(OutputId id, int partition) throws IOException;

  /** Frees the application's outputs whose ids begin like this: they are not read any more. */
  void freeOutputs(String applicationId, String outputIdPrefix) throws IOException;

  /** The same of those whose ids go on with a number below {@code end}, and with nothing else. */
  void freeOutputsBelow(String applicationId, String outputIdPrefix, long end) throws IOException;

  /** Frees this output, if it is here: it is not read any more. */
  void freeOutput(OutputId id) throws IOException;

  /** The application has ended everywhere: frees its outputs and forgets its secret. */
  void applicationStopped(String applicationId) throws IOException;

  /** The rights of an authenticated reader of the application; the caller closes it. */
  AuthenticatedReader open(String applicationId);

  /**
   * The endpoints, heap and bounce slots that one authenticated reader may use.
   *
   * <p>Thread contract: one thread. Ownership: the reader's conversation closes it.
   */
  interface AuthenticatedReader extends AutoCloseable {
    /**
     * The reader's user, if users share connections as {@link io.sluice.rdma.transport.FairShare}
     * says; else null.
     */
    Object sharer();

    /** Where each transport serves its application, preferred first. */
    List<TransportOffer> offers();

    /**
     * Expects one data connection of this reader.
     *
     * @param from the addresses that it may come from
     * @throws RemoteError BUSY if the transport takes no further one now
     */
    Ticket expect(String transport, Set<InetAddress> from) throws RemoteError;

    /**
     * Bytes of the heap for a request of its and the answer to it.
     *
     * @throws RemoteError BUSY if its user or all others hold too much of it now
     */
    HeapBudget.Held heap(long bytes) throws RemoteError;

    /** Its bounce slots, which are given back when this is closed. */
    BounceSlots slots();

    @Override
    void close();
  }
}
