package io.sluice.rdma;

import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.ucx.UcxProvider;
import io.sluice.rdma.transport.verbs.VerbsNetwork;
import io.sluice.rdma.transport.verbs.VerbsProvider;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Chooses a provider by the transport setting, with a reason for the log.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link TransportException} if the named
 * provider does not work here; only {@code auto} takes another one.
 */
public final class TransportChooser {
  /** The value of the setting that chooses the best provider that works. */
  public static final String AUTO = "auto";

  private final List<TransportProvider> bestFirst;

  /**
   * @param bestFirst all providers, with different names, in order of preference
   */
  public TransportChooser(List<TransportProvider> bestFirst) {
    this.bestFirst = List.copyOf(bestFirst);
  }

  /** The chooser of Sluice: RDMA if it works, else TCP. */
  public static TransportChooser standard() {
    return standard(VerbsNetwork.DEFAULT);
  }

  /** The same with settings of the network, for a server. */
  public static TransportChooser standard(VerbsNetwork network) {
    return new TransportChooser(
        List.of(
            new VerbsProvider(network),
            new UcxProvider(),
            ProviderJar.DISNI.load(),
            new TcpProvider()));
  }

  /**
   * The result of a choice.
   *
   * @param provider the provider
   * @param isNamed whether the setting names it
   * @param reason one sentence for the log: the provider and why it was chosen
   * @param unavailable why other providers do not work here, by their names
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

  /** All providers, best first, whether they work here or not. */
  public List<TransportProvider> providers() {
    return bestFirst;
  }

  /**
   * A chooser without the providers whose peers can do more than read; see {@link
   * TransportProvider#isConfined}.
   */
  public TransportChooser confined() {
    return new TransportChooser(bestFirst.stream().filter(TransportProvider::isConfined).toList());
  }

  /**
   * The providers of a node's service: the chosen one, and {@code tcp}. So one provider alone
   * registers the pool with a NIC, and memory that it cannot serve is still served.
   */
  public List<TransportProvider> serving(Choice choice) {
    return bestFirst.stream()
        .filter(
            provider -> provider == choice.provider() || provider.name().equals(TransportNames.TCP))
        .toList();
  }

  /**
   * The providers of a reader: the chosen one, then those that take over from it. They are all that
   * work here and rank lower, because a node of another release may serve over any of them; or
   * {@code tcp} alone if the setting names the chosen one.
   *
   * @param mayReplaceNamed whether {@code tcp} may take over from a named one
   */
  public List<TransportProvider> reading(Choice choice, boolean mayReplaceNamed) {
    if (choice.isNamed() && !mayReplaceNamed) {
      return List.of(choice.provider());
    }
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
                ? "transport " + provider.name() + ": the best one, and it works here"
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
                  + " is configured but does not work here: "
                  + cause.get()
                  + "; fix that, or set the transport to "
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

  /**
   * Stands for a transport whose jar is missing. Its name stays known, and its messages say what is
   * missing.
   *
   * <p>Thread contract: immutable.
   *
   * @param name the transport's name
   * @param cause what is missing, and what to do about it
   */
  public record MissingProvider(String name, String cause) implements TransportProvider {
    @Override
    public Optional<String> unavailabilityCause() {
      return Optional.of(cause);
    }

    @Override
    public boolean isConfined() {
      return true; // it reads nothing
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      throw unavailable();
    }

    @Override
    public ClientEndpoint openClient() throws TransportException {
      throw unavailable();
    }

    private TransportException unavailable() {
      return new TransportException(name + " is not available: " + cause);
    }
  }

  /**
   * An optional jar beside Sluice's with one more transport. Its provider is found by the name of
   * its class, not as a service. So Sluice decides the order of preference, no other jar can add a
   * transport to a NodeManager, and a missing jar can be reported.
   *
   * <p>Thread contract: immutable.
   *
   * @param transport the transport's name
   * @param jar the jar's name without version
   * @param provider the name of the provider's class
   */
  record ProviderJar(String transport, String jar, String provider) {
    static final ProviderJar DISNI =
        new ProviderJar(
            TransportNames.DISNI, "sluice-disni", "io.sluice.rdma.transport.disni.DisniProvider");

    /** Returns its provider, or one that says why there is none. */
    TransportProvider load() {
      ClassLoader ours = ProviderJar.class.getClassLoader();
      try {
        Class<? extends TransportProvider> found =
            Class.forName(provider, true, ours).asSubclass(TransportProvider.class);
        Optional<String> mismatch =
            mismatch(
                ProviderJar.class.getPackage().getImplementationVersion(),
                found.getPackage().getImplementationVersion());
        return mismatch.isPresent()
            ? new MissingProvider(transport, mismatch.get())
            : found.getDeclaredConstructor().newInstance();
      } catch (ClassNotFoundException e) {
        return new MissingProvider(
            transport,
            "%s-<version>.jar is not on the class path that has Sluice's jar; see docs/%s.md"
                .formatted(jar, transport));
      } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
        // The cast fails if another class loader has both jars.
        return new MissingProvider(
            transport,
            "%s cannot be used (%s); it must be of the same release as Sluice, on the class path"
                    .formatted(jar, e)
                + " that has Sluice's jar");
      }
    }

    /** Why the releases do not fit; a class outside a jar has no version and fits all. */
    Optional<String> mismatch(String ours, String its) {
      return ours == null || its == null || ours.equals(its)
          ? Optional.empty()
          : Optional.of(
              "%s is release %s, but Sluice is %s; use the same release".formatted(jar, its, ours));
    }
  }
}
