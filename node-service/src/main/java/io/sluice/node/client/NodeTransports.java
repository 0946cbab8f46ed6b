package io.sluice.node.client;

import io.sluice.node.client.RunReads.ReadPath;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transports over which one task can read from one node. A transport that fails is given up for
 * the node, with its reason in the log, and the next one is used from then on. It is tried again
 * after an hour: an executor of Spark lives for days, and the network may be repaired.
 *
 * <p>Differs from {@link Transports}, which has those of the task for all nodes. Thread contract:
 * safe from any thread. Ownership: it opens nothing. Failure: {@link TransportException} for a
 * transport that is not usable.
 */
final class NodeTransports {
  private static final Logger LOG = LoggerFactory.getLogger(NodeTransports.class);
  private static final long GIVEN_UP_NS = TimeUnit.HOURS.toNanos(1);

  private final String name;
  private final Transports task;
  private final ReadStats stats;
  private Map<String, List<TransportOffer>> usable = new LinkedHashMap<>();
  private final Map<String, GivenUp> givenUp = new LinkedHashMap<>();
  private final LongSupplier clockNs;

  /** Why and when one was given up. */
  private record GivenUp(String reason, long atNs) {
    @Override
    public String toString() {
      return reason;
    }
  }

  /**
   * None is usable yet.
   *
   * @param name of the node, for messages
   * @param task the transports of the task
   */
  NodeTransports(String name, Transports task, ReadStats stats) {
    this(name, task, stats, System::nanoTime);
  }

  /** The same by the given clock. */
  NodeTransports(String name, Transports task, ReadStats stats, LongSupplier clockNs) {
    this.name = name;
    this.task = task;
    this.stats = stats;
    this.clockNs = clockNs;
  }

  /** The node serves these now. */
  synchronized void offered(List<TransportOffer> offers) {
    long nowNs = clockNs.getAsLong();
    givenUp.values().removeIf(since -> nowNs - since.atNs() > GIVEN_UP_NS);
    Map<String, List<TransportOffer>> offered = new HashMap<>();
    for (TransportOffer offer : offers) {
      offered.computeIfAbsent(offer.transport(), name -> new ArrayList<>()).add(offer);
    }
    Map<String, List<TransportOffer>> both = new LinkedHashMap<>();
    for (String transport : task.names()) {
      List<TransportOffer> rails = offered.get(transport);
      if (rails != null && !givenUp.containsKey(transport)) {
        both.put(transport, rails);
        if (task.isOneForEachNode()) {
          break;
        }
      }
    }
    usable = both;
  }

  /** Which transports were given up and why, for messages; empty if none was. */
  synchronized String givenUp() {
    return givenUp.isEmpty() ? "" : " and has given up " + givenUp;
  }

  /** The ways in which a segment can be read here, best first. */
  synchronized List<ReadPath> of(SegmentLocation segment) {
    List<ReadPath> ways = new ArrayList<>();
    usable.forEach(
        (transport, rails) -> {
          int slotBytes = rails.get(0).slotBytes(); // the same on all
          RegionDescriptor region = segment.regions().get(transport);
          if (region != null) {
            ways.add(ReadPath.direct(transport, region));
          } else if (slotBytes > 0) {
            ways.add(ReadPath.bounced(transport, slotBytes));
          }
        });
    return ways;
  }

  /** Whether there is any way. */
  boolean isServed(SegmentLocation segment) {
    return !of(segment).isEmpty();
  }

  /**
   * Whether this process lacks what no way of reading can do without. That is a descriptor, heap,
   * or memory or a port for the last of the transports; what it may not pin is not had by waiting.
   */
  synchronized boolean isShort(TransportException failure) {
    return !(failure instanceof RegistrationException)
        && (FailureMeaning.isShortForEveryWay(failure)
            || (usable.size() == 1 && FailureMeaning.isShort(failure)));
  }

  /** The one to use. */
  synchronized Optional<String> best() {
    return usable.keySet().stream().findFirst();
  }

  /**
   * Where the node serves this transport now: at one address, or at one for each of its rails.
   *
   * @throws TransportException if it is not usable
   */
  synchronized List<TransportOffer> rails(String transport) throws TransportException {
    List<TransportOffer> rails = usable.get(transport);
    if (rails == null) {
      throw new TransportException(
          "transport " + transport + " to " + name + " is not usable: " + givenUp);
    }
    return rails;
  }

  /**
   * Stops using a transport for the node, if another one is left.
   *
   * @return whether one is
   */
  synchronized boolean giveUp(String transport, Throwable reason) {
    if (!usable.containsKey(transport)) {
      return !usable.isEmpty();
    }
    if (usable.size() == 1) {
      return false;
    }
    usable.remove(transport);
    givenUp.put(transport, new GivenUp(reason.toString(), clockNs.getAsLong()));
    stats.fellBack();
    LOG.warn(
        "Reading from {} over {} instead of {}: {}",
        name,
        usable.keySet().iterator().next(),
        transport,
        reason.toString());
    return true;
  }
}
