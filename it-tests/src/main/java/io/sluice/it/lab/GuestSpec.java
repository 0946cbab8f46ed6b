package io.sluice.it.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The machine that a guest is.
 *
 * @param name for people, and its host name
 * @param cpus virtual processors
 * @param memoryMb its memory
 * @param address its IPv4 address in 10.77.0.0/24, on the interface of its RDMA device
 * @param link the virtual wire to another guest, or none
 * @param nvdimms files of {@link #NVDIMM_BYTES} that appear as NVDIMMs, in order
 * @param kvm whether the processor's own virtualisation is used; else every instruction is emulated
 * @param deadline after which it is killed
 */
public record GuestSpec(
    String name,
    int cpus,
    int memoryMb,
    String address,
    Optional<Link> link,
    List<Path> nvdimms,
    boolean kvm,
    Duration deadline) {

  /** Length of every NVDIMM file. */
  static final long NVDIMM_BYTES = 1L << 30;

  /** One above that of warnings. */
  private static final int KERNEL_LOG_LEVEL = 5;

  /** The slots of NVDIMMs take address space behind the memory. */
  private static final int HOTPLUG_MB = 4096;

  /**
   * One end of a wire between two QEMU processes.
   *
   * @param listens whether this end waits for the other
   * @param port of the socket on the loopback interface of this machine
   * @param mac the interface's own address
   */
  public record Link(boolean listens, int port, String mac) {}

  static GuestSpec single(String name, int cpus, int memoryMb, boolean kvm, Duration deadline) {
    return new GuestSpec(
        name, cpus, memoryMb, "10.77.0.1", Optional.empty(), List.of(), kvm, deadline);
  }

  /** The first of two guests, with half of the processors. */
  GuestSpec onWire(int port) {
    Link end = new Link(true, port, "52:54:00:00:00:01");
    return new GuestSpec(name, 1, memoryMb, address, Optional.of(end), nvdimms, kvm, deadline);
  }

  /** The guest at the other end of this one's wire. */
  GuestSpec peer(int peerMemoryMb) {
    Link end = new Link(false, link.orElseThrow().port(), "52:54:00:00:00:02");
    return new GuestSpec(
        name + "-2", 1, peerMemoryMb, "10.77.0.2", Optional.of(end), List.of(), kvm, deadline);
  }

  /** The same with NVDIMMs. */
  public GuestSpec withNvdimms(List<Path> files) {
    return new GuestSpec(name, cpus, memoryMb, address, link, List.copyOf(files), kvm, deadline);
  }

  /** The command that boots it, runs the script as root and ends with the script's status. */
  List<String> command(LabTools tools, Path share, Path script) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(tools.vng().toString(), "--run", tools.kernel().toString()));
    tools.root().ifPresent(root -> command.addAll(List.of("--arch", "arm64", "--root", "" + root)));
    if (!kvm) {
      // On a busy machine the emulated timer looks broken to the kernel, which panics.
      command.addAll(List.of("--disable-kvm", "--append=no_timer_check"));
    }
    command.add("--append=loglevel=" + KERNEL_LOG_LEVEL);
    command.addAll(List.of("--name", name, "--cpus", Integer.toString(cpus)));
    String seen = tools.root().isEmpty() ? "" : share + "="; // not a path below that root
    command.addAll(List.of("--rwdir", seen + share, "--disable-microvm"));
    String memory = Integer.toString(memoryMb);
    command.addAll(
        List.of(
            "--memory",
            nvdimms.isEmpty()
                ? memory + "M"
                : memory + ",slots=" + nvdimms.size() + ",maxmem=" + (memoryMb + HOTPLUG_MB)));
    command.add("--qemu-opts=" + String.join(" ", qemuOptions(share)));
    command.addAll(List.of("--", "bash " + script));
    return command;
  }

  /** The log of its kernel, from warnings on. */
  Path kernelLog(Path share) {
    return share.resolve("kernel-" + name + ".log");
  }

  private List<String> qemuOptions(Path share) {
    List<String> options = new ArrayList<>();
    options.add("-set chardev.console.path=" + kernelLog(share)); // else vng throws it away
    // A second view of this machine's files, which the guest may cache: see guest.sh.
    options.add("-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap");
    options.add("-device virtio-9p-pci,fsdev=host,mount_tag=host");
    if (!nvdimms.isEmpty()) {
      options.add("-machine nvdimm=on");
    }
    for (int i = 0; i < nvdimms.size(); i++) {
      options.add(
          "-object memory-backend-file,id=nv%d,share=on,mem-path=%s,size=%d"
              .formatted(i, nvdimms.get(i), NVDIMM_BYTES));
      options.add("-device nvdimm,id=nvdimm%d,memdev=nv%d".formatted(i, i));
    }
    link.ifPresent(
        wire -> {
          String end = wire.listens() ? "listen" : "connect";
          options.add("-netdev socket,id=wire,%s=127.0.0.1:%d".formatted(end, wire.port()));
          options.add("-device virtio-net-pci,netdev=wire,mac=" + wire.mac());
        });
    return options;
  }
}
