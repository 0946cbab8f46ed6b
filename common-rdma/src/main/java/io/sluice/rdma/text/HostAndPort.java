package io.sluice.rdma.text;

/** Where something listens, as people and URLs write it. */
public final class HostAndPort {
  private HostAndPort() {}

  /** {@code host:port}; an IPv6 address is in brackets, which tell its colons from the port's. */
  public static String of(String host, int port) {
    boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + port;
  }
}
