/** Which names there are, and what bears them. */
package io.sluice.memory.fs.tree;
