package io.sluice.node.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.metrics.NodeSnapshot.TasksUse;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.ledger.MemoryKind;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TasksUseTest extends NodeTestBase {
  private static Holding holding(
      String user, String application, String task, Map<MemoryKind, Long> bytes) {
    return new Holding(new Holding.HolderId(user, application, task, HolderRole.MAP), bytes, false);
  }

  @Test
  void whatTheTasksOfAnApplicationHoldIsAddedUpByKind() {
    List<Holding> holdings =
        List.of(
            holding("ann", "app", "map-1", Map.of(MemoryKind.SORT, 3L, MemoryKind.ROOM, 2L)),
            holding("bob", "app", "map-1", Map.of(MemoryKind.SORT, 1L)), // one of the same name
            holding("ann", "other", "map-1", Map.of(MemoryKind.WRITING, 8L)),
            holding("ann", "app", "map-2", Map.of(MemoryKind.SORT, 4L, MemoryKind.WRITING, 5L)));
    assertEquals(
        List.of(
            new TasksUse(
                "ann",
                "app",
                Map.of(MemoryKind.SORT, 7L, MemoryKind.ROOM, 2L, MemoryKind.WRITING, 5L)),
            new TasksUse("ann", "other", Map.of(MemoryKind.WRITING, 8L)),
            new TasksUse("bob", "app", Map.of(MemoryKind.SORT, 1L))),
        TasksUse.largest(holdings, 10));
  }

  /** By all that they hold together, however many tasks and kinds that is. */
  @Test
  void thoseWhoHoldMostComeFirstAndThoseWhoHoldNothingNotAtAll() {
    List<Holding> holdings =
        List.of(
            holding("ann", "nothing", "map-1", Map.of(MemoryKind.SORT, 0L)),
            holding("ann", "small", "map-1", Map.of(MemoryKind.SORT, 4L)),
            holding("ann", "large", "map-1", Map.of(MemoryKind.SORT, 2L, MemoryKind.ROOM, 2L)),
            holding("ann", "large", "map-2", Map.of(MemoryKind.RECEIVE, 2L)),
            holding("ann", "medium", "map-1", Map.of(MemoryKind.WRITING, 3L, MemoryKind.SORT, 2L)),
            holding("ann", "medium", "map-2", Map.of()));
    assertEquals(List.of("large", "medium", "small"), applications(holdings, 10));
    assertEquals(List.of("large", "medium"), applications(holdings, 2));
    assertEquals(List.of(), applications(List.of(), 10));
  }

  private static List<String> applications(List<Holding> holdings, int count) {
    return TasksUse.largest(holdings, count).stream().map(TasksUse::application).toList();
  }

  @Test
  void aNodeTellsOfTheTenThatHoldMost() throws IOException {
    service = NodeService.start(inMemory(8, new TcpProvider()));
    List<Closeable> tasks = new ArrayList<>();
    try {
      for (int i = 0; i < 12; i++) {
        SocketClient task = task("application_" + i);
        tasks.add(task);
        task.lease((1 + i) * 20_000);
      }
      List<TasksUse> told = NodeSnapshot.of(service).tasks();
      assertEquals(10, told.size());
      assertEquals("application_11", told.get(0).application());
      Comparator<TasksUse> smallestFirst =
          Comparator.comparingLong(use -> use.bytes().get(MemoryKind.WRITING));
      assertEquals(told.stream().sorted(smallestFirst.reversed()).toList(), told);
    } finally {
      for (Closeable task : tasks) {
        task.close();
      }
    }
  }
}
