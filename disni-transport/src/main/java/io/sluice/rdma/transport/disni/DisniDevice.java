package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.impl.NatIbvContext;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A device and one protection domain on it.
 *
 * <p>Thread contract: safe from any thread once its addresses are known. Ownership: {@link
 * DisniDevices}; the bound id keeps librdmacm from closing the device.
 */
final class DisniDevice {
  private final RdmaCmId bound;
  private final IbvContext context;
  private final IbvPd protectionDomain;
  private final List<Inet4Address> addresses = new ArrayList<>();

  private DisniDevice(RdmaCmId bound, IbvContext context, IbvPd protectionDomain) {
    this.bound = bound;
    this.context = context;
    this.protectionDomain = protectionDomain;
  }

  static DisniDevice open(RdmaCmId bound, IbvContext context, Inet4Address address)
      throws IOException {
    DisniDevice device = new DisniDevice(bound, context, context.allocPd());
    device.addresses.add(address);
    return device;
  }

  IbvContext context() {
    return context;
  }

  IbvPd protectionDomain() {
    return protectionDomain;
  }

  List<Inet4Address> addresses() {
    return addresses;
  }

  /** DiSNI makes a Java object per question, all for the same native context. */
  boolean has(IbvContext other) {
    return ((NatIbvContext) context).getObjId() == ((NatIbvContext) other).getObjId();
  }

  /** Registers all of a direct buffer. */
  IbvMr register(ByteBuffer memory, int access) throws IOException {
    SVCRegMr call = protectionDomain.regMr(memory, access);
    try {
      return call.execute().getMr();
    } finally {
      call.free();
    }
  }

  void close() throws IOException {
    if (RdmaVerbs.open().deallocPd(protectionDomain) != 0) {
      throw new IOException("a queue pair or a registration is still there");
    }
    bound.destroyId();
  }
}
