package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkLimitTest {
  private final LinkLimit limit = new LinkLimit(2);
  private final List<String> closed = new ArrayList<>();

  /** The connections to a node. */
  private class Node implements LinkLimit.Links {
    private final String name;
    private long unusedNs;

    Node(String name, long unusedNs) {
      this.name = name;
      this.unusedNs = unusedNs;
    }

    @Override
    public long unusedNs(long nowNs) {
      return unusedNs;
    }

    @Override
    public void closeUnused() {
      closed.add(name);
      limit.disconnected(this);
    }
  }

  private Node connect(String name, long unusedNs) {
    Node node = new Node(name, unusedNs);
    limit.connects(node);
    return node;
  }

  @Test
  void theOneThatWasNotReadFromForLongestMakesRoom() {
    connect("a", 5);
    Node again = connect("b", 9);
    limit.connects(again);
    assertEquals(List.of(), closed);
    connect("c", 100); // it is the one that connects
    assertEquals(List.of("b"), closed);
    assertEquals(2, limit.count());
  }

  @Test
  void thoseThatAreReadFromStayAndMakeRoomLater() {
    Node first = connect("a", -1);
    Node second = connect("b", -1);
    connect("c", -1);
    assertEquals(List.of(), closed);
    assertEquals(3, limit.count());
    first.unusedNs = 1;
    second.unusedNs = 2;
    connect("d", -1);
    assertEquals(List.of("b", "a"), closed);
    assertEquals(2, limit.count());
  }

  @Test
  void oneThatDoesNotEndIsPassedOver() {
    Node stuck =
        new Node("a", 9) {
          @Override
          public void closeUnused() {
            closed.add("stuck");
            throw new IllegalStateException("expected by this test");
          }
        };
    limit.connects(stuck);
    connect("b", 5);
    connect("c", 1);
    assertEquals(List.of("stuck", "b"), closed);
    assertEquals(2, limit.count());
    limit.disconnected(stuck);
    assertEquals(1, limit.count());
  }
}
