package io.sluice.memory.fs.tree;

import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What a new file or directory is like.
 *
 * @param owner who makes it
 * @param permission all of its bits
 * @param createParent whether directories above it are made as well
 */
public record NewNode(String owner, FsPermission permission, boolean createParent) {}
