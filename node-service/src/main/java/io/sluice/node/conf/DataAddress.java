package io.sluice.node.conf;

import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the transports of a node's service listen: an address, a network interface, or a subnet,
 * which can be the same on every node. Several of them, with commas between them, are the rails of
 * a transport that can use more than one; the others listen at the first alone. The control
 * protocol listens elsewhere, and tells readers.
 *
 * <p>Thread contract: immutable. Failure: {@link #resolve} says what this host has instead.
 *
 * @param setting the key or option it was set by, for messages
 * @param text as it was set; empty if it was not
 */
public record DataAddress(String setting, String text) {
  /** The forms of the text, for documentation. */
  public static final String FORMS =
      "an address, a network interface (`ib0`), or a subnet (`10.1.0.0/16`), which can be the same"
          + " on every node. Several with commas between them are rails, which `verbs` uses side by"
          + " side; other transports use the first";

  private static final Logger LOG = LoggerFactory.getLogger(DataAddress.class);

  /** Readers take no more than 16 offers of a service. */
  private static final int MOST_RAILS = 8;

  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%.+)?");

  /** A setting of this kind, which by default is not set. */
  public static Setting<DataAddress> setting(String name, String meaning) {
    return new Setting<>(
        name, "every address", meaning, text -> new DataAddress(name, text == null ? "" : text));
  }

  /**
   * An address of this host as the system lists it.
   *
   * @param network the name of its interface
   * @param up whether that is up
   * @param address the address
   */
  record Local(String network, boolean up, InetAddress address) {
    @Override
    public String toString() {
      return network + " " + address.getHostAddress() + (up ? "" : " (down)");
    }
  }

  /**
   * The addresses, of those that this host has now, in the order in which they were set. One of
   * several that cannot be used is left out, with a line in the log.
   *
   * @param otherwise the one if nothing was set
   * @throws IOException if none can be used: it is none, or means more than one, or cannot be
   *     listened at
   */
  public List<InetAddress> resolve(InetAddress otherwise) throws IOException {
    if (text.isEmpty()) {
      return List.of(otherwise);
    }
    List<InetAddress> resolved = new ArrayList<>();
    List<IOException> failures = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      try {
        InetAddress address = new DataAddress(setting, part.strip()).resolveOne();
        if (!resolved.contains(address)) {
          resolved.add(address);
        }
      } catch (IOException e) {
        failures.add(e);
      }
    }
    if (resolved.isEmpty()) {
      throw failures.get(0);
    }
    if (resolved.size() > MOST_RAILS) {
      throw new IOException(
          "%s names %s addresses of this host, the most are %s"
              .formatted(setting, resolved.size(), MOST_RAILS));
    }
    failures.forEach(
        e -> LOG.warn("Not serving at one of the addresses until a restart: {}", ErrorText.of(e)));
    return resolved;
  }

  private InetAddress resolveOne() throws IOException {
    List<Local> here = here();
    InetAddress address = among(here);
    try (ServerSocket listening = new ServerSocket(0, 1, address)) {
      return listening.getInetAddress();
    } catch (IOException e) {
      throw new IOException(refusal("cannot be listened at: " + ErrorText.of(e), here), e);
    }
  }

  private static List<Local> here() throws IOException {
    List<Local> here = new ArrayList<>();
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      for (InterfaceAddress address : each.getInterfaceAddresses()) {
        here.add(new Local(each.getName(), each.isUp(), elsewhere(address.getAddress())));
      }
    }
    return here;
  }

  /** Without the name of this host's interface, which would mean nothing to readers. */
  private static InetAddress elsewhere(InetAddress address) throws IOException {
    return address.isLinkLocalAddress() ? address : InetAddress.getByAddress(address.getAddress());
  }

  /** The address, if a host has these. */
  InetAddress among(List<Local> here) throws IOException {
    int slash = text.indexOf('/');
    if (slash >= 0) {
      return only("no address here lies in it", inSubnet(slash, here), here);
    }
    if (IPV4.matcher(text).matches() || IPV6.matcher(text).matches()) {
      return literal(text, here);
    }
    List<Local> of = here.stream().filter(local -> local.network().equals(text)).toList();
    if (of.isEmpty()) {
      throw new IOException(refusal("is no interface with an address", here));
    }
    List<Local> ipv4 = of.stream().filter(local -> isIpv4(local.address())).toList();
    return only(
        "that interface has no address that reaches beyond the link",
        ipv4.isEmpty() ? of.stream().filter(DataAddress::isGlobal).toList() : ipv4,
        here);
  }

  private List<Local> inSubnet(int slash, List<Local> here) throws IOException {
    byte[] subnet = literal(text.substring(0, slash), here).getAddress();
    int prefixBits;
    try {
      prefixBits = Integer.parseInt(text.substring(slash + 1));
    } catch (NumberFormatException e) {
      prefixBits = -1;
    }
    if (prefixBits < 0 || prefixBits > subnet.length * Byte.SIZE) {
      throw new IOException(
          refusal("is no subnet: expected a prefix length in bits, as in 10.1.0.0/16", here));
    }
    int bits = prefixBits;
    return here.stream().filter(l -> isIn(l.address().getAddress(), subnet, bits)).toList();
  }

  private static boolean isIn(byte[] address, byte[] subnet, int prefixBits) {
    if (address.length != subnet.length) {
      return false;
    }
    for (int bit = 0; bit < prefixBits; bit++) {
      int mask = 0x80 >> bit % Byte.SIZE;
      if (((address[bit / Byte.SIZE] ^ subnet[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Never asks a name service, whose answer may be another one tomorrow. */
  private InetAddress literal(String address, List<Local> here) throws IOException {
    if (IPV4.matcher(address).matches() || IPV6.matcher(address).matches()) {
      try {
        return InetAddress.getByName(address);
      } catch (IOException e) {
        throw new IOException(refusal("is no address: " + ErrorText.of(e), here), e);
      }
    }
    throw new IOException(refusal("is no address, no interface and no subnet", here));
  }

  private InetAddress only(String none, List<Local> meant, List<Local> here) throws IOException {
    if (meant.isEmpty()) {
      throw new IOException(refusal(none, here));
    }
    if (meant.size() > 1) {
      throw new IOException(refusal("means more than one of them; name one", here));
    }
    if (!meant.get(0).up()) {
      throw new IOException(refusal("means an interface that is down", here));
    }
    return meant.get(0).address();
  }

  private String refusal(String why, List<Local> here) {
    return "%s is '%s': %s. Addresses of this host: %s"
        .formatted(
            setting,
            text,
            why,
            here.stream().map(Local::toString).collect(Collectors.joining(", ")));
  }

  private static boolean isIpv4(InetAddress address) {
    return address.getAddress().length == Integer.BYTES;
  }

  private static boolean isGlobal(Local local) {
    return !local.address().isLinkLocalAddress() && !local.address().isLoopbackAddress();
  }
}
