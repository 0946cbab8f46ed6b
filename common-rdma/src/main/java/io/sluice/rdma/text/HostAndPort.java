package io.sluice.rdma.text;

/** Formats an address and a port for people and URLs. Thread contract: stateless. */
public final class HostAndPort {
  private HostAndPort() {}

  /**
   * {@code host:port}; an IPv6 address is in brackets, which separate its colons from the port's.
   */
  public static String of(String host, int port) {
    boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + port;
  }
}
