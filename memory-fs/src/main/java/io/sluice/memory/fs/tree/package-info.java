/** The tree of files and directories of a namespace. */
package io.sluice.memory.fs.tree;
