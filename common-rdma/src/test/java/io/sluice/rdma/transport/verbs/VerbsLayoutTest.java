package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerbsLayoutTest {
  private static final long LIMIT_SECONDS = 120;

  @TempDir private Path dir;

  private final Map<String, Integer> expected = new LinkedHashMap<>(); // by expression in C

  private void offset(String struct, String field, int offsetBytes) {
    expected.put("offsetof(struct %s, %s)".formatted(struct, field), offsetBytes);
  }

  private void size(String struct, int bytes) {
    expected.put("sizeof(struct %s)".formatted(struct), bytes);
  }

  private void value(String constant, int value) {
    expected.put(constant, value);
  }

  private void expectAll() {
    offset("ibv_context", "ops.poll_cq", VerbsLayout.CONTEXT_POLL_CQ);
    offset("ibv_context", "ops.req_notify_cq", VerbsLayout.CONTEXT_REQ_NOTIFY_CQ);
    offset("ibv_context", "ops.post_send", VerbsLayout.CONTEXT_POST_SEND);
    offset("ibv_context", "async_fd", VerbsLayout.CONTEXT_ASYNC_FD);
    offset("ibv_send_wr", "wr_id", VerbsLayout.WR_ID);
    offset("ibv_send_wr", "next", VerbsLayout.WR_NEXT);
    offset("ibv_send_wr", "sg_list", VerbsLayout.WR_SG_LIST);
    offset("ibv_send_wr", "num_sge", VerbsLayout.WR_NUM_SGE);
    offset("ibv_send_wr", "opcode", VerbsLayout.WR_OPCODE);
    offset("ibv_send_wr", "send_flags", VerbsLayout.WR_SEND_FLAGS);
    offset("ibv_send_wr", "wr.rdma.remote_addr", VerbsLayout.WR_REMOTE_ADDR);
    offset("ibv_send_wr", "wr.rdma.rkey", VerbsLayout.WR_RKEY);
    size("ibv_send_wr", VerbsLayout.WR_BYTES);
    offset("ibv_sge", "addr", VerbsLayout.SGE_ADDR);
    offset("ibv_sge", "length", VerbsLayout.SGE_LENGTH);
    offset("ibv_sge", "lkey", VerbsLayout.SGE_LKEY);
    size("ibv_sge", VerbsLayout.SGE_BYTES);
    offset("ibv_wc", "wr_id", VerbsLayout.WC_ID);
    offset("ibv_wc", "status", VerbsLayout.WC_STATUS);
    size("ibv_wc", VerbsLayout.WC_BYTES);
    offset("ibv_qp_init_attr", "send_cq", VerbsLayout.INIT_SEND_CQ);
    offset("ibv_qp_init_attr", "recv_cq", VerbsLayout.INIT_RECV_CQ);
    offset("ibv_qp_init_attr", "cap.max_send_wr", VerbsLayout.INIT_MAX_SEND_WR);
    offset("ibv_qp_init_attr", "cap.max_recv_wr", VerbsLayout.INIT_MAX_RECV_WR);
    offset("ibv_qp_init_attr", "cap.max_send_sge", VerbsLayout.INIT_MAX_SEND_SGE);
    offset("ibv_qp_init_attr", "cap.max_recv_sge", VerbsLayout.INIT_MAX_RECV_SGE);
    offset("ibv_qp_init_attr", "qp_type", VerbsLayout.INIT_QP_TYPE);
    size("ibv_qp_init_attr", VerbsLayout.INIT_BYTES);
    offset("ibv_qp_attr", "qp_state", VerbsLayout.ATTR_STATE);
    offset("ibv_qp_attr", "path_mtu", VerbsLayout.ATTR_PATH_MTU);
    offset("ibv_qp_attr", "rq_psn", VerbsLayout.ATTR_RQ_PSN);
    offset("ibv_qp_attr", "sq_psn", VerbsLayout.ATTR_SQ_PSN);
    offset("ibv_qp_attr", "dest_qp_num", VerbsLayout.ATTR_DEST_QP_NUM);
    offset("ibv_qp_attr", "qp_access_flags", VerbsLayout.ATTR_ACCESS_FLAGS);
    offset("ibv_qp_attr", "ah_attr.grh.dgid", VerbsLayout.ATTR_DGID);
    offset("ibv_qp_attr", "ah_attr.grh.sgid_index", VerbsLayout.ATTR_SGID_INDEX);
    offset("ibv_qp_attr", "ah_attr.grh.hop_limit", VerbsLayout.ATTR_HOP_LIMIT);
    offset("ibv_qp_attr", "ah_attr.grh.traffic_class", VerbsLayout.ATTR_TRAFFIC_CLASS);
    offset("ibv_qp_attr", "ah_attr.dlid", VerbsLayout.ATTR_DLID);
    offset("ibv_qp_attr", "ah_attr.sl", VerbsLayout.ATTR_SL);
    offset("ibv_qp_attr", "ah_attr.is_global", VerbsLayout.ATTR_IS_GLOBAL);
    offset("ibv_qp_attr", "ah_attr.port_num", VerbsLayout.ATTR_AH_PORT_NUM);
    offset("ibv_qp_attr", "pkey_index", VerbsLayout.ATTR_PKEY_INDEX);
    offset("ibv_qp_attr", "max_rd_atomic", VerbsLayout.ATTR_MAX_RD_ATOMIC);
    offset("ibv_qp_attr", "max_dest_rd_atomic", VerbsLayout.ATTR_MAX_DEST_RD_ATOMIC);
    offset("ibv_qp_attr", "min_rnr_timer", VerbsLayout.ATTR_MIN_RNR_TIMER);
    offset("ibv_qp_attr", "port_num", VerbsLayout.ATTR_PORT_NUM);
    offset("ibv_qp_attr", "timeout", VerbsLayout.ATTR_TIMEOUT);
    offset("ibv_qp_attr", "retry_cnt", VerbsLayout.ATTR_RETRY_CNT);
    offset("ibv_qp_attr", "rnr_retry", VerbsLayout.ATTR_RNR_RETRY);
    size("ibv_qp_attr", VerbsLayout.ATTR_BYTES);
    offset("ibv_device_attr", "max_qp_wr", VerbsLayout.DEVICE_MAX_QP_WR);
    offset("ibv_device_attr", "max_cqe", VerbsLayout.DEVICE_MAX_CQE);
    offset("ibv_device_attr", "max_qp_rd_atom", VerbsLayout.DEVICE_MAX_QP_RD_ATOM);
    offset("ibv_device_attr", "max_qp_init_rd_atom", VerbsLayout.DEVICE_MAX_QP_INIT_RD_ATOM);
    size("ibv_device_attr", VerbsLayout.DEVICE_BYTES);
    offset("ibv_port_attr", "state", VerbsLayout.PORT_STATE);
    offset("ibv_port_attr", "active_mtu", VerbsLayout.PORT_ACTIVE_MTU);
    offset("ibv_port_attr", "max_msg_sz", VerbsLayout.PORT_MAX_MSG_SZ);
    offset("ibv_port_attr", "lid", VerbsLayout.PORT_LID);
    offset("ibv_port_attr", "link_layer", VerbsLayout.PORT_LINK_LAYER);
    offset("ibv_port_attr", "flags", VerbsLayout.PORT_FLAGS);
    value("sizeof(struct ibv_port_attr) <= " + VerbsLayout.PORT_BYTES, 1);
    offset("ibv_qp", "context", VerbsLayout.QP_CONTEXT);
    offset("ibv_cq", "context", VerbsLayout.QP_CONTEXT);
    offset("ibv_qp", "qp_num", VerbsLayout.QP_NUM);
    offset("ibv_mr", "lkey", VerbsLayout.MR_LKEY);
    offset("ibv_mr", "rkey", VerbsLayout.MR_RKEY);
    offset("ibv_comp_channel", "fd", VerbsLayout.CHANNEL_FD);
    offset("ibv_async_event", "element.qp", VerbsLayout.EVENT_ELEMENT);
    offset("ibv_async_event", "event_type", VerbsLayout.EVENT_TYPE);
    size("ibv_async_event", VerbsLayout.EVENT_BYTES);
    value("IBV_ACCESS_LOCAL_WRITE", VerbsLayout.ACCESS_LOCAL_WRITE);
    value("IBV_ACCESS_REMOTE_READ", VerbsLayout.ACCESS_REMOTE_READ);
    value("IBV_ACCESS_ON_DEMAND", VerbsLayout.ACCESS_ON_DEMAND);
    value("IBV_QPS_INIT", VerbsLayout.STATE_INIT);
    value("IBV_QPS_RTR", VerbsLayout.STATE_RTR);
    value("IBV_QPS_RTS", VerbsLayout.STATE_RTS);
    value("IBV_QPS_ERR", VerbsLayout.STATE_ERROR);
    value("IBV_QP_STATE", VerbsLayout.MASK_ERROR);
    value(
        "IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT",
        VerbsLayout.MASK_INIT);
    value(
        "IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN"
            + " | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER",
        VerbsLayout.MASK_RTR);
    value(
        "IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN"
            + " | IBV_QP_MAX_QP_RD_ATOMIC",
        VerbsLayout.MASK_RTS);
    value("IBV_QPT_RC", VerbsLayout.QPT_RC);
    value("IBV_WR_RDMA_READ", VerbsLayout.WR_RDMA_READ);
    value("IBV_SEND_SIGNALED", VerbsLayout.SEND_SIGNALED);
    value("IBV_PORT_ACTIVE", VerbsLayout.PORT_ACTIVE);
    value("IBV_QPF_GRH_REQUIRED", VerbsLayout.PORT_NEEDS_GRH);
    value("IBV_LINK_LAYER_ETHERNET", VerbsLayout.LINK_LAYER_ETHERNET);
    value("IBV_EVENT_CQ_ERR", VerbsLayout.EVENT_CQ_ERR);
    value("IBV_EVENT_QP_FATAL", VerbsLayout.EVENT_QP_FATAL);
    value("IBV_EVENT_QP_REQ_ERR", VerbsLayout.EVENT_QP_REQ_ERR);
    value("IBV_EVENT_QP_ACCESS_ERR", VerbsLayout.EVENT_QP_ACCESS_ERR);
    value("IBV_EVENT_DEVICE_FATAL", VerbsLayout.EVENT_DEVICE_FATAL);
    value("IBV_EVENT_PORT_ERR", VerbsLayout.EVENT_PORT_ERR);
    value("IBV_WC_SUCCESS", VerbsLayout.STATUS_SUCCESS);
    value("IBV_WC_WR_FLUSH_ERR", VerbsLayout.STATUS_FLUSHED);
    value("IBV_WC_REM_ACCESS_ERR", VerbsLayout.STATUS_REMOTE_ACCESS);
    value("IBV_WC_RETRY_EXC_ERR", VerbsLayout.STATUS_NO_ANSWER);
    for (int status = 0; status < 14; status++) {
      value(VerbsLayout.statusName(status) + " + 0", status);
    }
  }

  /** Compiles a few lines of C against the header, where it is installed, and runs them. */
  @Test
  void theLayoutIsThatOfTheHeader() throws Exception {
    expectAll();
    Path source = dir.resolve("layout.c");
    Files.writeString(
        source,
        expected.keySet().stream()
            .map("  printf(\"%%d\\n\", (int) (%s));\n"::formatted)
            .collect(
                Collectors.joining(
                    "",
                    "#include <stddef.h>\n#include <stdio.h>\n#include <infiniband/verbs.h>\n"
                        + "int main(void) {\n",
                    "  return 0;\n}\n")));
    Path program = dir.resolve("layout");
    String refusal = run("cc", "-o", program.toString(), source.toString()).refusal();
    if (!refusal.isEmpty()) {
      System.out.println("VerbsLayoutTest.theLayoutIsThatOfTheHeader skipped: " + refusal);
    }
    assumeTrue(refusal.isEmpty(), refusal);
    List<String> lines = run(program.toString()).output().lines().toList();
    Map<String, Integer> found = new LinkedHashMap<>();
    for (String expression : expected.keySet()) {
      found.put(expression, Integer.parseInt(lines.get(found.size())));
    }
    assertEquals(expected, found);
  }

  private record Run(String output, String refusal) {}

  private Run run(String... command) throws InterruptedException {
    try {
      Path output = dir.resolve("output");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Run("", command[0] + " did not end");
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      if (process.exitValue() == 0) {
        return new Run(text, "");
      }
      if (text.contains("infiniband/verbs.h: No such file")) {
        return new Run("", "there is no infiniband/verbs.h (Debian: libibverbs-dev)");
      }
      throw new AssertionError(text);
    } catch (IOException e) {
      return new Run("", "there is no C compiler cc");
    }
  }

  @Test
  void aBatchIsAChainOfReads() {
    ByteBuffer memory = OffHeap.allocate(3 * VerbsLayout.REQUEST_BYTES);
    try {
      ByteBuffer requests = memory.duplicate().order(ByteOrder.nativeOrder());
      long address = LibVerbs.address(memory);
      for (int i = 0; i < 3; i++) {
        ReadPart part = new ReadPart(null, null, 1000 + i, 7, 1L << 40 | i, -9, 4096 + i);
        VerbsLayout.read(requests, address, i, i == 2, 40 + i, part);
      }
      for (int i = 0; i < 3; i++) {
        int at = i * VerbsLayout.REQUEST_BYTES;
        long next = i == 2 ? 0 : address + at + VerbsLayout.REQUEST_BYTES;
        assertEquals(40 + i, requests.getLong(at + VerbsLayout.WR_ID));
        assertEquals(next, requests.getLong(at + VerbsLayout.WR_NEXT));
        assertEquals(1L << 40 | i, requests.getLong(at + VerbsLayout.WR_REMOTE_ADDR));
        assertEquals(-9, requests.getInt(at + VerbsLayout.WR_RKEY));
        int piece = (int) (requests.getLong(at + VerbsLayout.WR_SG_LIST) - address);
        assertEquals(1000 + i, requests.getLong(piece + VerbsLayout.SGE_ADDR));
        assertEquals(4096 + i, requests.getInt(piece + VerbsLayout.SGE_LENGTH));
        assertEquals(7, requests.getInt(piece + VerbsLayout.SGE_LKEY));
      }
    } finally {
      OffHeap.free(memory);
    }
  }
}
