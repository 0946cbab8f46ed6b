package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

class NodeManagerPlanTest {
  private final List<String> tried = new ArrayList<>();

  private NodeManagerPlan.Start<String> way(String name, int free, IOException otherwise) {
    return port -> {
      tried.add(name + port);
      if (port != free) {
        throw otherwise;
      }
      return name + port;
    };
  }

  private static IOException taken() {
    return new BindException("Address already in use");
  }

  @Test
  void theFirstGroupThatIsWholeComesFirst() throws IOException {
    List<NodeManagerPlan.Start<String>> ways =
        List.of(way("whole", 2, taken()), way("part", 1, taken()));
    assertEquals("whole2", NodeManagerPlan.firstFree(List.of(1, 2, 3), ways));
    assertEquals(List.of("whole1", "whole2"), tried);
  }

  /** A device may be busy with something else than a port, and the others serve without it. */
  @Test
  void whereNoGroupIsWholeAPartServes() throws IOException {
    IOException busy = new IOException("rc_mlx5: Device is busy");
    List<NodeManagerPlan.Start<String>> ways =
        List.of(way("whole", 0, busy), way("part", 2, taken()));
    assertEquals("part2", NodeManagerPlan.firstFree(List.of(1, 2, 3), ways));
  }

  @Test
  void theFirstPortSaysWhyNoneIsFree() {
    IOException first = taken();
    List<NodeManagerPlan.Start<String>> ways =
        List.of(way("whole", 0, first), way("part", 0, taken()));
    assertSame(
        first,
        assertThrows(IOException.class, () -> NodeManagerPlan.firstFree(List.of(1, 2, 3), ways)));
    assertEquals(6, tried.size());
  }

  @Test
  void whatIsNoTakenPortIsNotTriedAgain() {
    IOException full = new IOException("No space left on device");
    assertSame(
        full,
        assertThrows(
            IOException.class,
            () -> NodeManagerPlan.firstFree(List.of(1, 2), List.of(way("whole", 0, full)))));
    assertEquals(List.of("whole1"), tried);
  }

  /** As the NodeManager names itself to the ResourceManager. */
  @Test
  void readersFindTheHostByTheNameOfItsNodeManager() throws IOException {
    Configuration conf = new YarnConfiguration();
    assertEquals(InetAddress.getLocalHost().getCanonicalHostName(), NodeManagerPlan.host(conf));
    conf.set(YarnConfiguration.NM_ADDRESS, "127.0.0.1:0");
    assertEquals(
        InetAddress.getByName("127.0.0.1").getCanonicalHostName(), NodeManagerPlan.host(conf));
    conf.set(YarnConfiguration.NM_ADDRESS, "no-such-host.invalid:0");
    assertEquals("no-such-host.invalid", NodeManagerPlan.host(conf));
  }
}
