package io.sluice.node.metrics;

import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.node.service.ServiceMemory;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.memory.MemoryManager.MemorySnapshot;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.store.StoreStats.ApplicationUse;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All counts of a service at one moment.
 *
 * @param node the most memory that it takes of its machine
 * @param tasks the applications whose tasks hold most memory, the largest first
 * @param largest the applications whose outputs hold most, the largest first
 * @param connectionsOfUsers of tasks and readers of each user
 * @param inFlightDescriptors that were sent to tasks of each user
 * @param heapBytesOfUsers of the heap, by requests of each user and the answers to them
 * @param answered what transports did whose reads are answered here, and not by a NIC
 * @param inlinedBytes sent with the answers that said where they lie
 */
record NodeSnapshot(
    ServiceMemory node,
    StoreStats store,
    MemorySnapshot memory,
    List<TasksUse> tasks,
    List<DeviceStats> devices,
    List<OutputsUse> largest,
    ConnectionCounters connections,
    Map<RefusalKind, Long> taskRefusals,
    Map<Owner, Long> connectionsOfUsers,
    Map<Owner, Long> inFlightDescriptors,
    Map<Owner, Long> heapBytesOfUsers,
    Map<String, TransportCounters> transports,
    Map<String, TransportCounters> answered,
    Map<String, BounceCounters> bounced,
    long inlinedBytes) {
  private static final int LARGEST = 10;

  /**
   * The bytes that the outputs of an application hold.
   *
   * @param user of the operating system; empty if it is not known any more
   */
  record OutputsUse(String user, ApplicationUse use) {}

  static NodeSnapshot of(NodeService service) {
    List<OutputsUse> largest =
        service.store().applicationUses().stream()
            .sorted(Comparator.comparingLong(ApplicationUse::bytes).reversed())
            .limit(LARGEST)
            .map(use -> new OutputsUse(userOf(service, use.applicationId()), use))
            .toList();
    MemorySnapshot memory = service.memory().snapshot();
    Map<String, TransportCounters> transports = service.counters().transports();
    TransportCounters tcp = transports.get(TransportNames.TCP);
    return new NodeSnapshot(
        service.nodeMemory(),
        service.store().stats(),
        memory,
        TasksUse.largest(memory.holdings(), LARGEST),
        service.store().deviceStats(),
        largest,
        service.counters().connections(),
        service.counters().refusals(),
        service.counters().connectionsOfUsers(),
        service.counters().inFlightDescriptors(),
        service.counters().heapBytesOfUsers(),
        transports,
        tcp == null ? Map.of() : Map.of(TransportNames.TCP, tcp),
        service.counters().bounce(),
        service.counters().inlinedBytes());
  }

  /** The same with 0 for each user that only has other numbers. */
  Map<Owner, Long> ofEachUser(Map<Owner, Long> numbers) {
    Map<Owner, Long> all = new HashMap<>(numbers);
    connectionsOfUsers.keySet().forEach(user -> all.putIfAbsent(user, 0L));
    store.outputsOfUsers().keySet().forEach(user -> all.putIfAbsent(user, 0L));
    return all;
  }

  private static String userOf(NodeService service, String applicationId) {
    return service.applications().ownerOf(applicationId).map(Owner::toString).orElse("");
  }

  /**
   * The memory of a node that the tasks of one application hold.
   *
   * @param bytes by kind, where they hold some
   */
  record TasksUse(String user, String application, Map<MemoryKind, Long> bytes) {
    /** The applications that hold most, the largest first. */
    static List<TasksUse> largest(List<Holding> holdings, int count) {
      Map<List<String>, TasksUse> uses = new HashMap<>();
      for (Holding holding : holdings) {
        String user = holding.who().user();
        String application = holding.who().application();
        TasksUse use =
            uses.computeIfAbsent(
                List.of(user, application),
                key -> new TasksUse(user, application, new EnumMap<>(MemoryKind.class)));
        holding.bytes().forEach((kind, bytes) -> use.bytes().merge(kind, bytes, Long::sum));
      }
      return uses.values().stream()
          .filter(use -> use.totalBytes() > 0)
          .sorted(Comparator.comparingLong(TasksUse::totalBytes).reversed())
          .limit(count)
          .toList();
    }

    private long totalBytes() {
      return bytes.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
