package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.TransportChooser.Choice;
import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.tools.doctor.Doctor.Trial;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks which transports work on a host, and which one Sluice uses: first the RDMA devices and
 * what processes need to use them, then each transport.
 *
 * @param files where the kernel and the system show devices, libraries and limits
 * @param addresses IP addresses of the host, as {@link RdmaDevicesCheck} takes them
 * @param nativeCalls the finding about native calls
 * @param chooser the transports, best first
 * @param trial tries each transport
 */
record HostTransports(
    SystemFiles files,
    Map<String, List<InetAddress>> addresses,
    Finding nativeCalls,
    TransportChooser chooser,
    Trial trial) {

  private static final String RESTART =
      "; then restart the NodeManager or the service here, which chooses when it starts";

  List<Finding> look() {
    RdmaNeeds needs = new RdmaNeeds(files);
    List<Finding> rdma = new ArrayList<>(new RdmaDevicesCheck(files, addresses).look());
    rdma.addAll(needs.access());
    rdma.add(needs.libraries());
    rdma.add(needs.lockedMemory());
    List<Finding> connections = needs.connections();
    List<Finding> ucxLibraries = needs.ucxLibraries();
    List<Finding> transports = new ArrayList<>();
    for (TransportProvider provider : chooser.providers()) {
      TransportCheck check =
          switch (provider.name()) {
            case TransportNames.VERBS ->
                new TransportCheck(provider, false, concat(rdma, List.of(nativeCalls)), trial);
            case TransportNames.UCX ->
                new TransportCheck(provider, true, concat(connections, ucxLibraries), trial);
            case TransportNames.TCP -> new TransportCheck(provider, false, List.of(), trial);
            default -> new TransportCheck(provider, true, connections, trial);
          };
      transports.add(check.look());
    }
    Finding choice = choice(chooser, transports.get(0).remedy());
    return concat(rdma, connections, ucxLibraries, transports, List.of(choice));
  }

  @SafeVarargs
  private static List<Finding> concat(List<Finding>... lists) {
    List<Finding> all = new ArrayList<>();
    for (List<Finding> list : lists) {
      all.addAll(list);
    }
    return all;
  }

  /**
   * The transport that Sluice uses here by default; if it is not RDMA, why not.
   *
   * @param remedy what makes the best transport work
   */
  static Finding choice(TransportChooser chooser, String remedy) {
    String subject = "transport chosen";
    try {
      Choice choice = chooser.choose(TransportChooser.AUTO);
      String name = choice.provider().name();
      String best = chooser.providers().get(0).name();
      return name.equals(TransportNames.TCP) && !name.equals(best)
          ? Finding.info(
              subject,
              name + ", so data goes without RDMA",
              "%s does not work here: %s".formatted(best, choice.unavailable().get(best)),
              remedy.isEmpty() ? "" : remedy + RESTART)
          : Finding.ok(subject, name);
    } catch (TransportException e) {
      return Finding.broken(subject, "none", e.getMessage(), "");
    }
  }

  /**
   * Checks whether a transport works here. It asks the provider first. If the provider calls itself
   * available, a trial listens and registers memory.
   *
   * @param provider the transport
   * @param isOptional whether verbs does the same and needs less, so that nobody needs this one
   * @param needs the findings about what this transport needs, and no others; if it is optional,
   *     only about what it needs beside verbs. Their remedies become those of a transport that does
   *     not work
   * @param trial listens and registers
   */
  record TransportCheck(
      TransportProvider provider, boolean isOptional, List<Finding> needs, Trial trial) {
    private static final String UNUSABLE = "does not work here";
    private static final String NOTHING = "nothing: transport verbs does the same and needs less";

    Finding look() {
      if (provider instanceof MissingProvider missing) {
        return Finding.info(
            subject(),
            "not installed",
            missing.cause(),
            NOTHING + "; to use %s all the same, put that jar beside Sluice's".formatted(name()));
      }
      Optional<String> unavailable = provider.unavailabilityCause();
      if (unavailable.isPresent()) {
        boolean couldDoRdma = needs.stream().anyMatch(f -> f.level() == Finding.Level.PROBLEM);
        return unusable(unavailable.get(), couldDoRdma);
      }
      try {
        return trial
            .failureOf(name())
            .map(cause -> unusable(cause, true))
            .orElseGet(() -> Finding.ok(subject(), "works: listened, and registered memory"));
      } catch (IOException e) {
        return Finding.info(
            subject(), "seems to work, but could not be tried", ErrorText.of(e), "");
      }
    }

    private String name() {
      return provider.name();
    }

    private String subject() {
      return "transport " + name();
    }

    private Finding unusable(String cause, boolean isProblem) {
      String remedies =
          needs.stream()
              .filter(finding -> finding.level() != Finding.Level.OK)
              .map(Finding::remedy)
              .filter(remedy -> !remedy.isEmpty())
              .distinct()
              .collect(Collectors.joining("; then "));
      if (!isOptional) {
        return isProblem
            ? Finding.problem(subject(), UNUSABLE, cause, remedies)
            : Finding.info(subject(), UNUSABLE, cause, remedies);
      }
      return Finding.info(
          subject(),
          UNUSABLE,
          cause,
          remedies.isEmpty()
              ? NOTHING
              : NOTHING + "; to use %s all the same: %s".formatted(name(), remedies));
    }
  }
}
