package io.sluice.node.service;

import io.sluice.node.probe.ProbeRegion;
import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers readers from the store and the registry of a service: locates runs, opens data
 * connections, frees outputs that nobody reads any more.
 *
 * <p>Thread contract and failure: those of {@link RemoteBackend}. Ownership: nothing of its own;
 * the service closes the parts, and its server before them.
 */
final class ReaderBackend implements RemoteBackend {
  private final SpillStore store;
  private final SegmentRegistrar registrar;
  private final TransportEndpoints endpoints;
  private final BounceTransports bounce;
  private final ProbeRegion probes;
  private final ApplicationRegistry applications;
  private final TaskAdmission admission;
  private final HeapBudget heap;
  private final Owner own;
  private final boolean shared;
  private final boolean inlines;
  private final HeldRuns heldRuns;
  private final LongAdder inlinedBytes = new LongAdder();

  ReaderBackend(
      ServiceContext context,
      SpillStore store,
      SegmentRegistrar registrar,
      TransportEndpoints endpoints,
      BounceTransports bounce,
      ProbeRegion probes,
      ApplicationRegistry applications,
      TaskAdmission admission,
      HeapBudget heap,
      Owner own) {
    this.store = store;
    this.registrar = registrar;
    this.endpoints = endpoints;
    this.bounce = bounce;
    this.probes = probes;
    this.applications = applications;
    this.admission = admission;
    this.heap = heap;
    this.own = own;
    this.shared = context.users() != null;
    this.inlines = context.ports().isOneAddress();
    this.heldRuns =
        new HeldRuns(store::find, registrar::location, store::isQuiet, store::replaceByCopy);
  }

  /** Bytes of runs that were sent within the answers that locate them. */
  long inlinedBytes() {
    return inlinedBytes.sum();
  }

  @Override
  public JobSecret secretOf(String applicationId) {
    return applications.secretOf(applicationId);
  }

  @Override
  public UUID poolId() {
    return store.poolId();
  }

  @Override
  public PoolPaths places() {
    return store.paths();
  }

  @Override
  public List<ProbeOffer> probe() {
    return probes.offers();
  }

  @Override
  public OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    OutputLocations all = new OutputLocations(new HashMap<>(), new HashMap<>());
    InlinedRuns inlined = new InlinedRuns(inlines ? inlinedRunBytes : 0);
    List<Range> onDisk = new ArrayList<>();
    long leftBytes = OutputLocations.MAX_ANSWER_BYTES;
    for (String outputId : new LinkedHashSet<>(outputIds)) {
      OutputId id = new OutputId(applicationId, outputId);
      Optional<OutputLocations> held = heldRuns.of(id, partitions, leftBytes, inlined);
      if (held.isPresent()) {
        OutputLocations one = held.get();
        one.segments().keySet().removeAll(all.segments().keySet());
        leftBytes -= one.gatheredBytes();
        if (leftBytes < 0) {
          throw HeldRuns.tooMuch(id, partitions);
        }
        all.add(one);
        inlined.keep(one.inlined());
        one.runs()
            .get(outputId)
            .forEach(run -> HeldRuns.addRangesOnDisk(run.location().ranges(), onDisk));
      }
    }
    store.expectReads(onDisk);
    inlinedBytes.add(inlined.keptBytes());
    return all;
  }

  @Override
  public Optional<LongRunLocations> describeLong(OutputId id, int partition) throws IOException {
    List<Range> onDisk = new ArrayList<>();
    Optional<LongRunLocations> described = heldRuns.longOf(id, partition, store.paths(), onDisk);
    if (described.isPresent()) {
      store.expectReads(onDisk);
    }
    return described;
  }

  @Override
  public boolean isDamaged(OutputId id, int partition) throws IOException {
    return heldRuns.isDamaged(id, partition);
  }

  @Override
  public void freeOutputs(String applicationId, String outputIdPrefix) throws IOException {
    store.freeOutputs(applicationId, outputIdPrefix);
  }

  @Override
  public void freeOutputsBelow(String applicationId, String outputIdPrefix, long end)
      throws IOException {
    store.freeOutputs(
        applicationId,
        outputId ->
            outputId.startsWith(outputIdPrefix)
                && isBelow(end, outputId.substring(outputIdPrefix.length())));
  }

  private static boolean isBelow(long end, String rest) {
    return rest.matches("[0-9]{1,18}") && Long.parseLong(rest) < end;
  }

  @Override
  public void freeOutput(OutputId id) throws IOException {
    store.freeOutput(id);
  }

  @Override
  public void applicationStopped(String applicationId) throws IOException {
    // The next start frees what fails here: it does not know the application.
    admission.ended(applicationId, () -> store.freeApplication(applicationId));
  }

  @Override
  public AuthenticatedReader open(String applicationId) {
    Optional<Owner> known = applications.ownerOf(applicationId);
    Owner owner = known.orElse(own); // ended meanwhile: nothing is found
    return new OwnerReader(
        owner,
        shared,
        known.isPresent() ? endpoints.byTransport() : Map.of(), // not where another's keys open
        heap,
        bounce,
        new ReaderSlots(applicationId, owner, store::find, registrar.open(), bounce));
  }

  /**
   * A reader of one owner's application, at that owner's endpoints, which stay open for it.
   *
   * <p>Thread contract: one thread. Failure: a transport whose endpoint cannot be opened is not
   * offered, with a line in the log.
   */
  static final class OwnerReader implements AuthenticatedReader {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerReader.class);

    private final Owner owner;
    private final Object sharer;
    private final Map<String, OwnerEndpoints> used = new LinkedHashMap<>();
    private final HeapBudget heap;
    private final BounceTransports bounce;
    private final BounceSlots slots;

    OwnerReader(
        Owner owner,
        boolean shares,
        Map<String, OwnerEndpoints> endpoints,
        HeapBudget heap,
        BounceTransports bounce,
        BounceSlots slots) {
      this.owner = owner;
      this.sharer = shares ? owner : null;
      this.heap = heap;
      this.bounce = bounce;
      this.slots = slots;
      try {
        endpoints.forEach(this::use);
      } catch (RuntimeException | Error e) { // of threads, of which an endpoint needs some
        close();
        throw e;
      }
    }

    private void use(String transport, OwnerEndpoints endpoints) {
      try {
        endpoints.use(owner);
        used.put(transport, endpoints);
      } catch (TransportException e) {
        LOG.warn(
            "Readers of user id {} are not served over {}: {}", owner, transport, e.getMessage());
      }
    }

    @Override
    public Object sharer() {
      return sharer;
    }

    @Override
    public List<TransportOffer> offers() {
      List<TransportOffer> offers = new ArrayList<>();
      used.forEach(
          (transport, endpoints) -> {
            int slotBytes = bounce.of(transport).map(BounceBuffers::slotBytes).orElse(0);
            for (InetSocketAddress rail : endpoints.rails(owner)) {
              offers.add(TransportOffer.of(transport, rail, slotBytes));
            }
          });
      return offers;
    }

    @Override
    public Ticket expect(String transport, Set<InetAddress> from) throws RemoteError {
      OwnerEndpoints endpoints = used.get(transport);
      if (endpoints == null) {
        throw new RemoteError(
            RemoteError.Code.BAD_REQUEST, "nothing is served over " + transport + " here");
      }
      return endpoints
          .expect(owner, sharer, from)
          .orElseThrow(
              () ->
                  new RemoteError(
                      RemoteError.Code.BUSY,
                      ("as many read over %s as this node takes, %s in all; raise"
                              + " max-connections of its service for more")
                          .formatted(transport, endpoints.mostConnections())));
    }

    @Override
    public HeapBudget.Held heap(long bytes) throws RemoteError {
      return heap.take(owner, bytes);
    }

    @Override
    public BounceSlots slots() {
      return slots;
    }

    @Override
    public void close() {
      slots.close();
      used.values().forEach(endpoints -> endpoints.leave(owner));
    }
  }
}
