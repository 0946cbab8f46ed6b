package io.sluice.tools.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host's node service, as people write it: {@code host}, {@code host:port}, {@code [::1]:port}.
 *
 * @param host name or address
 * @param port of its control connections
 */
public record HostPort(String host, int port) {
  /** The ShuffleHandler's default port plus the default of sluice.service.port-offset. */
  public static final int DEFAULT_PORT = 17562;

  private static final Pattern FORM =
      Pattern.compile("(?:\\[(?<v6>[^\\]]+)\\]|(?<name>[^:\\[\\]]+))(?::(?<port>\\d{1,5}))?");

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if it is neither of these
   */
  public static HostPort parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (matcher.matches()) {
      String digits = matcher.group("port");
      int port = digits == null ? DEFAULT_PORT : Integer.parseInt(digits);
      if (port >= 1 && port <= 65_535) {
        String name = matcher.group("name");
        return new HostPort(name == null ? matcher.group("v6") : name, port);
      }
    }
    throw new IllegalArgumentException(
        "\"%s\" is no HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535".formatted(text));
  }
}
