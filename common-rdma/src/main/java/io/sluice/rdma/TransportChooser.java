package io.sluice.rdma;

import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Turns the transport setting into a provider, and says which and why.
 *
 * <p>Thread contract: safe from any thread. Failure: a provider that is asked for by name and does
 * not work here is an error; only {@code auto} takes another.
 */
public final class TransportChooser {
  /** The setting that takes the best provider that works. */
  public static final String AUTO = "auto";

  private final List<TransportProvider> bestFirst;

  /**
   * @param bestFirst the providers there are, with different names, in order of preference
   */
  public TransportChooser(List<TransportProvider> bestFirst) {
    this.bestFirst = List.copyOf(bestFirst);
  }

  /** RDMA where it works, TCP elsewhere. */
  public static TransportChooser standard() {
    return new TransportChooser(
        List.of(new UcxProvider(), ProviderJar.DISNI.load(), new TcpProvider()));
  }

  /**
   * What was chosen.
   *
   * @param provider the provider
   * @param isNamed whether it was asked for by its name
   * @param reason one sentence for the log: which, and why
   * @param unavailable for each provider that does not work here, by name, the cause
   */
  public record Choice(
      TransportProvider provider,
      boolean isNamed,
      String reason,
      Map<String, String> unavailable) {}

  /**
   * Chooses by {@code auto} or by a provider's name.
   *
   * @throws TransportException if there is no such provider or it does not work here
   */
  public Choice choose(String setting) throws TransportException {
    return setting.equals(AUTO) ? chooseBest() : chooseNamed(setting);
  }

  /** Every provider there is, best first, whether it works here or not. */
  public List<TransportProvider> providers() {
    return bestFirst;
  }

  /** The same without those whose peers can do more than read; see {@link TransportProvider}. */
  public TransportChooser confined() {
    return new TransportChooser(bestFirst.stream().filter(TransportProvider::isConfined).toList());
  }

  /**
   * The chosen provider, then those that take over from it: every one of lower rank that works
   * here, or, if it was asked for by its name, {@code tcp} alone. So naming one keeps memory from
   * being registered with another, and what the named one cannot serve is served all the same.
   */
  public List<TransportProvider> withFallbacks(Choice choice) {
    List<TransportProvider> result = new ArrayList<>();
    for (TransportProvider provider : bestFirst) {
      if (provider == choice.provider()
          || (!result.isEmpty() && mayFollow(provider, choice) && provider.isAvailable())) {
        result.add(provider);
      }
    }
    return result;
  }

  private static boolean mayFollow(TransportProvider provider, Choice choice) {
    return !choice.isNamed() || provider.name().equals(TransportNames.TCP);
  }

  private Choice chooseBest() throws TransportException {
    Map<String, String> unavailable = new LinkedHashMap<>();
    for (TransportProvider provider : bestFirst) {
      Optional<String> cause = provider.unavailabilityCause();
      if (cause.isEmpty()) {
        String reason =
            unavailable.isEmpty()
                ? "transport " + provider.name() + ": the best there is, and it works here"
                : "transport " + provider.name() + ": " + sentence(unavailable);
        return new Choice(provider, false, reason, unavailable);
      }
      unavailable.put(provider.name(), cause.get());
    }
    throw new TransportException("no transport works here: " + sentence(unavailable));
  }

  private Choice chooseNamed(String name) throws TransportException {
    for (TransportProvider provider : bestFirst) {
      if (provider.name().equals(name)) {
        Optional<String> cause = provider.unavailabilityCause();
        if (cause.isPresent()) {
          throw new TransportException(
              "transport "
                  + name
                  + " was asked for and does not work here: "
                  + cause.get()
                  + "; put that right, or set the transport to "
                  + AUTO);
        }
        return new Choice(provider, true, "transport " + name + ": as configured", Map.of());
      }
    }
    String known =
        bestFirst.stream().map(TransportProvider::name).collect(Collectors.joining(", "));
    throw new TransportException(
        "unknown transport \"" + name + "\"; expected " + AUTO + " or one of: " + known);
  }

  private static String sentence(Map<String, String> unavailable) {
    return unavailable.entrySet().stream()
        .map(entry -> entry.getKey() + " is not available (" + entry.getValue() + ")")
        .collect(Collectors.joining("; "));
  }
}
