package io.sluice.rdma.testing;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A network interface that a test makes in the lab's guest, and removes; the wire leads nowhere.
 */
public final class DummyInterface {
  private static final int MTU_BYTES = 4200; // as the lab's own: packets of RDMA carry 4 KiB

  private final String name;
  private final InetAddress address;

  private DummyInterface(String name, InetAddress address) {
    this.name = name;
    this.address = address;
  }

  /** Makes one that is up and has this address, in a network of its own. */
  public static DummyInterface add(String name, String address) {
    Commands.run("ip", "link", "add", name, "mtu", Integer.toString(MTU_BYTES), "type", "dummy");
    DummyInterface added = new DummyInterface(name, literal(address));
    try {
      Commands.run("ip", "addr", "add", address + "/24", "dev", name);
      Commands.run("ip", "link", "set", name, "up");
      return added;
    } catch (RuntimeException | Error e) {
      added.remove();
      throw e;
    }
  }

  private static InetAddress literal(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(address + " is no address", e);
    }
  }

  String name() {
    return name;
  }

  public InetAddress address() {
    return address;
  }

  public void remove() {
    Commands.run("ip", "link", "delete", name);
  }
}
