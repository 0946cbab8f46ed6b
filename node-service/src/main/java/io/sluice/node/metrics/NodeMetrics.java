package io.sluice.node.metrics;

import io.sluice.node.metrics.Metric.MetricSink;
import io.sluice.node.metrics.Metric.Type;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.ledger.LedgerStats;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.store.StoreStats.TierStats;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The one table of the metrics of a node's service. The NodeManager's metrics system and the
 * endpoint of a service by itself both show it.
 *
 * <p>A metric without a value just now is left out: no bounce buffers, no bound on the disk tier.
 * No process of this node sees the reads that a NIC serves.
 *
 * <p>Thread contract: safe from any thread. Failure: none of its own.
 */
public final class NodeMetrics {
  private static final String TRANSPORT = "transport";
  private static final String WAY = "way";
  private static final String USER = "user";
  private static final String APPLICATION = "application";
  private static final String KIND = "kind";
  private static final String DEVICE = "device";
  private static final String CLASS = "class";

  /** How bytes were served: from where they lie, or copied to a slot that is read one-sidedly. */
  private static final String SENT = "sent";

  private static final String BOUNCED = "bounced";

  /** With the answer that says where it lies. */
  private static final String INLINED = "inlined";

  /** The kinds of memory that tasks ask for. */
  private static final List<MemoryKind> ASKED =
      List.of(MemoryKind.SORT, MemoryKind.WRITING, MemoryKind.RECEIVE);

  private static final Metric SERVING =
      new Metric(
          "sluice_serving",
          Type.GAUGE,
          "1 while the service serves tasks and readers. 0 if it could not start, if its pool was"
              + " removed, or if its socket was removed and cannot be made again. Tasks then use"
              + " the stock shuffle",
          List.of());

  private static final List<Row> ROWS =
      List.of(
          gauge(
              "sluice_outputs", "Map outputs that readers can find", now -> now.store().outputs()),
          row(
              "sluice_node_memory_bytes",
              Type.GAUGE,
              "Largest memory that the service takes beside the heap and threads of its"
                  + " process. `tier`: the memory tier; `bounce`: bounce buffers; `disk`:"
                  + " buffers of disks",
              List.of("use"),
              (now, values) -> {
                values.number(now.node().tierBytes(), "tier");
                values.number(now.node().bounceBytes(), "bounce");
                values.number(now.node().diskBytes(), "disk");
              }),
          gauge(
              "sluice_memory_capacity_bytes",
              "Capacity of the memory tier",
              now -> now.store().memory().capacityBytes()),
          gauge(
              "sluice_memory_created_bytes",
              "Size of the segments of the memory tier that exist now",
              now -> now.store().memory().createdBytes()),
          gauge(
              "sluice_memory_free_bytes",
              "Bytes that the memory tier can still grant",
              now -> now.memory().ledger().freeBytes()),
          byKind(
              "sluice_memory_held_bytes",
              Type.GAUGE,
              "Bytes of the memory tier by use. `sort`: sort buffers; `room`: kept for the runs"
                  + " of sort buffers; `writing`: leased and not committed; `send`: map outputs;"
                  + " `receive`: received by reducers; `settling`: left by ended tasks and not"
                  + " yet free; `quarantine`: found at a restart and not yet free",
              List.of(MemoryKind.values()),
              LedgerStats::heldBytes),
          byUser(
              "sluice_memory_user_segments",
              Type.GAUGE,
              "Segments of the memory tier that belong to a user, full or not",
              now -> now.store().memorySegmentsOfUsers()),
          byKind(
              "sluice_memory_granted_bytes_total",
              Type.COUNTER,
              "Bytes that tasks asked for and were granted",
              ASKED,
              LedgerStats::grantedBytes),
          byKind(
              "sluice_memory_refused_total",
              Type.COUNTER,
              "Requests for memory that were granted nothing",
              ASKED,
              LedgerStats::refusals),
          byKind(
              "sluice_memory_revoked_bytes_total",
              Type.COUNTER,
              "Bytes that tasks were told to give back",
              ASKED,
              LedgerStats::revokedBytes),
          counter(
              "sluice_memory_late_total",
              "Times that a task missed its deadline for giving memory back",
              now -> now.memory().ledger().lates()),
          gauge(
              "sluice_memory_waiting",
              "Tasks that wait for memory now",
              now -> now.memory().ledger().queued()),
          row(
              "sluice_memory_wait_seconds",
              Type.HISTOGRAM,
              "Seconds that a task waited for memory that was not granted at once",
              List.of(),
              (now, values) -> values.waits(now.memory().waits())),
          counter(
              "sluice_moved_bytes_total",
              "Bytes of map outputs that were moved from memory to the disk tier",
              now -> now.memory().movedBytes()),
          counter(
              "sluice_moved_outputs_total",
              "Map outputs, or parts of large ones, that were moved from memory to the disk tier",
              now -> now.memory().movedOutputs()),
          counter(
              "sluice_move_failures_total",
              "Map outputs that could not be moved from memory to the disk tier",
              now -> now.memory().moveFailures()),
          gauge(
              "sluice_copied_outputs",
              "Map outputs in memory that also have a copy on the disk tier",
              now -> now.store().copies().outputs()),
          gauge(
              "sluice_copied_bytes",
              "Bytes of the disk tier that copies of map outputs in memory take",
              now -> now.store().copies().bytes()),
          counter(
              "sluice_copy_failures_total",
              "Failed copies of map outputs to the disk tier",
              now -> now.store().copies().failures()),
          counter(
              "sluice_copies_dropped_total",
              "Copies that were dropped because their room was needed",
              now -> now.store().copies().dropped()),
          row(
              "sluice_disk_capacity_bytes",
              Type.GAUGE,
              "Capacity of the disk tier, if it is limited by a setting",
              List.of(),
              (now, values) -> {
                long capacityBytes = now.store().disk().capacityBytes();
                if (capacityBytes > 0) {
                  values.number(capacityBytes);
                }
              }),
          row(
              "sluice_disk_held_bytes",
              Type.GAUGE,
              "Bytes of the disk tier by use. `writing`: leased and not committed; `send`: map"
                  + " outputs; `quarantine`: found at a restart and not yet free",
              List.of(KIND),
              (now, values) -> {
                TierStats disk = now.store().disk();
                values.number(disk.leasedBytes(), "writing");
                values.number(disk.committedBytes(), "send");
                values.number(disk.quarantinedBytes(), "quarantine");
              }),
          byUser(
              "sluice_disk_user_bytes",
              Type.GAUGE,
              "Bytes of the disk tier that a user's leases, map outputs and copies take",
              now -> now.store().diskBytesOfUsers()),
          byUser(
              "sluice_disk_share_refused_total",
              Type.COUNTER,
              "Leases refused to a user because the rest of the disk tier is reserved for users"
                  + " who hold less",
              now -> diskShareRefusals(now.store())),
          gauge(
              "sluice_disk_directories_failed",
              "Overflow directories that failed and are not used now",
              now -> now.store().failedDirectories()),
          row(
              "sluice_device_hangs",
              Type.GAUGE,
              "1 while a device of the disk tier does not answer, by one of its directories",
              List.of(DEVICE),
              (now, values) ->
                  now.devices().forEach(each -> values.number(each.hangs() ? 1 : 0, each.name()))),
          byDevice(
              "sluice_device_bytes_total",
              Type.COUNTER,
              "Bytes read from or written to a device of the disk tier, by class of I/O",
              (values, labels, done) -> values.number(done.bytes(), labels)),
          byDevice(
              "sluice_device_seconds",
              Type.HISTOGRAM,
              "Seconds from the request of a unit of up to 1 MiB until it was read or written",
              (values, labels, done) -> values.waits(done.waits(), labels)),
          row(
              "sluice_application_bytes",
              Type.GAUGE,
              "Bytes that the map outputs of an application hold, for the ten applications"
                  + " that hold most",
              List.of(USER, APPLICATION, "tier"),
              (now, values) -> {
                for (NodeSnapshot.OutputsUse each : now.largest()) {
                  String user = each.user();
                  String application = each.use().applicationId();
                  values.number(each.use().memoryBytes(), user, application, "memory");
                  values.number(each.use().diskBytes(), user, application, "disk");
                }
              }),
          row(
              "sluice_tasks_held_bytes",
              Type.GAUGE,
              "Bytes of the memory tier that the tasks of an application hold, for the ten"
                  + " applications that hold most",
              List.of(USER, APPLICATION, KIND),
              (now, values) -> {
                for (NodeSnapshot.TasksUse each : now.tasks()) {
                  each.bytes()
                      .forEach(
                          (kind, bytes) ->
                              values.number(bytes, each.user(), each.application(), text(kind)));
                }
              }),
          counter(
              "sluice_overflows_total",
              "Leases that the memory tier could not grant alone",
              now -> now.store().overflows()),
          counter(
              "sluice_refused_total",
              "Leases that no tier could grant",
              now -> now.store().refusals()),
          counter(
              "sluice_segment_failures_total",
              "Segments of the memory tier that could not be made",
              now -> now.store().segmentFailures()),
          row(
              "sluice_served_bytes_total",
              Type.COUNTER,
              "Bytes served. `sent`: by this process; `inlined`: with the answer that locates"
                  + " them; `bounced`: copied to a bounce slot. Bytes that a NIC reads in"
                  + " place are not counted",
              List.of(TRANSPORT, WAY),
              (now, values) -> {
                now.answered().forEach((name, of) -> values.number(of.bytes(), name, SENT));
                now.bounced().forEach((name, of) -> values.number(of.bytes(), name, BOUNCED));
                values.number(now.inlinedBytes(), TransportNames.TCP, INLINED);
              }),
          row(
              "sluice_served_seconds",
              Type.HISTOGRAM,
              "Seconds from a reader's request until its last byte was sent, or lay in a"
                  + " bounce slot",
              List.of(TRANSPORT, WAY),
              (now, values) -> {
                now.answered().forEach((name, of) -> values.waits(of.served(), name, SENT));
                now.bounced().forEach((name, of) -> values.waits(of.served(), name, BOUNCED));
              }),
          byTransport(
              "sluice_failed_reads_total",
              Type.COUNTER,
              "Reads that were refused because of an unknown region, a wrong key or a range"
                  + " outside the region",
              NodeSnapshot::answered,
              TransportCounters::failedReads),
          byTransport(
              "sluice_registered_bytes",
              Type.GAUGE,
              "Bytes of memory and files that the transport can read or send",
              NodeSnapshot::transports,
              TransportCounters::registeredBytes),
          byTransport(
              "sluice_data_connections",
              Type.GAUGE,
              "Open data connections of readers",
              NodeSnapshot::transports,
              TransportCounters::openConnections),
          byTransport(
              "sluice_bounce_slots_in_use",
              Type.GAUGE,
              "Bounce slots that readers hold now",
              NodeSnapshot::bounced,
              BounceCounters::slotsInUse),
          byTransport(
              "sluice_bounce_refused_total",
              Type.COUNTER,
              "Requests of readers that found no free bounce slot",
              NodeSnapshot::bounced,
              BounceCounters::refusals),
          gauge(
              "sluice_connections",
              "Open connections of tasks and readers, including data connections",
              now -> now.connections().open()),
          counter(
              "sluice_connections_refused_total",
              "Connections refused because the service had as many as it allows; the peer tries"
                  + " again later",
              now -> now.connections().refused()),
          counter(
              "sluice_connections_expelled_total",
              "Connections closed because the peer did not authenticate in time, or because its"
                  + " host had too many such connections",
              now -> now.connections().expelled()),
          counter(
              "sluice_connections_dropped_total",
              "Connections closed because the peer sent an invalid message, or no complete"
                  + " message in time",
              now -> now.connections().dropped()),
          counter(
              "sluice_connections_errors_total",
              "Connections that ended with an error of this process",
              now -> now.connections().errors()),
          byUser(
              "sluice_user_outputs",
              Type.GAUGE,
              "Map outputs of a user that readers can find",
              now -> now.ofEachUser(now.store().outputsOfUsers())),
          byUser(
              "sluice_user_disk_files",
              Type.GAUGE,
              "Files of the disk tier that a user's leases and map outputs take",
              now -> now.ofEachUser(now.store().diskFilesOfUsers())),
          byUser(
              "sluice_heap_share_refused_total",
              Type.COUNTER,
              "Requests of a user's tasks refused because the user, or all users together, take"
                  + " as much of the heap as allowed",
              now -> now.ofEachUser(now.store().heapShareRefusals())),
          byUser(
              "sluice_user_heap_bytes",
              Type.GAUGE,
              "Bytes of the heap that requests of a user's tasks and readers take, and the"
                  + " answers that are not yet received",
              now -> now.ofEachUser(now.heapBytesOfUsers())),
          byUser(
              "sluice_user_connections",
              Type.GAUGE,
              "Connections of a user's tasks and readers, including data connections, open or"
                  + " being opened",
              NodeSnapshot::connectionsOfUsers),
          byUser(
              "sluice_user_files_under_way",
              Type.GAUGE,
              "Open files sent to a user's tasks and not yet received, as far as known",
              now -> now.ofEachUser(now.inFlightDescriptors())),
          row(
              "sluice_tasks_refused_total",
              Type.COUNTER,
              "Tasks and readers refused, fully or in part, by reason",
              List.of("reason"),
              (now, values) ->
                  now.taskRefusals().forEach((kind, count) -> values.number(count, kind.text()))));

  /** A metric, and how its values are found. */
  private record Row(Metric metric, BiConsumer<NodeSnapshot, Values> read) {}

  /** Where the values of one metric go. */
  private record Values(Metric metric, MetricSink sink) {
    void number(long value, String... labelValues) {
      sink.number(metric, List.of(labelValues), value);
    }

    void waits(WaitCounts value, String... labelValues) {
      sink.waits(metric, List.of(labelValues), value);
    }
  }

  private NodeMetrics() {}

  /** All that there can be. */
  public static List<Metric> all() {
    return Stream.concat(Stream.of(SERVING), ROWS.stream().map(Row::metric)).toList();
  }

  /** Tells a sink of a service that runs. */
  public static void read(NodeService service, MetricSink sink) {
    sink.number(SERVING, List.of(), service.trouble().isEmpty() ? 1 : 0);
    NodeSnapshot now = NodeSnapshot.of(service);
    ROWS.forEach(row -> row.read().accept(now, new Values(row.metric(), sink)));
  }

  /** Tells a sink of a service that could not start. */
  public static void readDegraded(MetricSink sink) {
    sink.number(SERVING, List.of(), 0);
  }

  private static Row gauge(String name, String help, ToLongFunction<NodeSnapshot> value) {
    return plain(name, Type.GAUGE, help, value);
  }

  private static Row counter(String name, String help, ToLongFunction<NodeSnapshot> value) {
    return plain(name, Type.COUNTER, help, value);
  }

  private static Row row(
      String name,
      Type type,
      String help,
      List<String> labels,
      BiConsumer<NodeSnapshot, Values> read) {
    return new Row(new Metric(name, type, help, labels), read);
  }

  private static Row plain(
      String name, Type type, String help, ToLongFunction<NodeSnapshot> value) {
    return row(name, type, help, List.of(), (now, values) -> values.number(value.applyAsLong(now)));
  }

  /** Tells the values of one class of a device. */
  private interface DeviceRead {
    void accept(Values values, String[] labels, DeviceStats.Done done);
  }

  private static Row byDevice(String name, Type type, String help, DeviceRead read) {
    return row(
        name,
        type,
        help,
        List.of(DEVICE, CLASS),
        (now, values) -> {
          for (DeviceStats device : now.devices()) {
            device
                .classes()
                .forEach(
                    (ioClass, done) ->
                        read.accept(values, new String[] {device.name(), text(ioClass)}, done));
          }
        });
  }

  /** 0 for a user that holds some of the disk tier and was refused nothing. */
  private static Map<Owner, Long> diskShareRefusals(StoreStats store) {
    Map<Owner, Long> all = new HashMap<>(store.diskShareRefusals());
    store.diskBytesOfUsers().keySet().forEach(user -> all.putIfAbsent(user, 0L));
    return all;
  }

  private static Row byUser(
      String name, Type type, String help, Function<NodeSnapshot, Map<Owner, Long>> numbers) {
    return row(
        name,
        type,
        help,
        List.of(USER),
        (now, values) ->
            numbers.apply(now).forEach((user, number) -> values.number(number, user.toString())));
  }

  private static Row byKind(
      String name,
      Type type,
      String help,
      List<MemoryKind> kinds,
      Function<LedgerStats, Map<MemoryKind, Long>> of) {
    return row(
        name,
        type,
        help,
        List.of(KIND),
        (now, values) -> {
          Map<MemoryKind, Long> found = of.apply(now.memory().ledger());
          kinds.forEach(kind -> values.number(found.getOrDefault(kind, 0L), text(kind)));
        });
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static <T> Row byTransport(
      String name,
      Type type,
      String help,
      Function<NodeSnapshot, Map<String, T>> counters,
      ToLongFunction<T> value) {
    return row(
        name,
        type,
        help,
        List.of(TRANSPORT),
        (now, values) ->
            counters
                .apply(now)
                .forEach((transport, of) -> values.number(value.applyAsLong(of), transport)));
  }
}
