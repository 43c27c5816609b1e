#!/usr/bin/env python3
"""Write a machine of equal groups as a SimGrid platform file for fourfold-sim.

The XML convention is explained in README.md beside this file. Edit the result freely: everything
that SimGrid accepts is allowed, as long as the hosts and properties of the convention are there.

  ./write_platform.py --name mycluster --description "16 nodes of 8 H100" --groups 2 --group-nodes 8 \\
      --gpus-per-node 8 --gpu-to-nic "0 1 2 3 4 5 6 7" --gpu-links switch --gpu h100-sxm --library nccl-infiniband \\
      --port-GBps 450 --port-latency-us 0.3 --nic-GBps 50 --nic-latency-us 1.0 \\
      --global-GBps 3200 --global-latency-us 0.3 > mycluster.xml
"""

import argparse


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("name", "description", "gpu-to-nic", "gpu", "library"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--gpu-links", required=True, help="mesh, switch, or links: '0-1:200GBps 0-2:100GBps ...'")
    for name in ("groups", "group-nodes", "gpus-per-node"):
        parser.add_argument(f"--{name}", required=True, type=int)
    for name in ("port-GBps", "port-latency-us", "nic-GBps", "nic-latency-us"):
        parser.add_argument(f"--{name}", required=True, type=float)
    for name in ("global-GBps", "global-latency-us"):
        parser.add_argument(f"--{name}", type=float, help="needed when there are several groups")
    arguments = parser.parse_args()
    if arguments.groups > 1 and not (arguments.global_GBps and arguments.global_latency_us):
        parser.error("several groups need --global-GBps and --global-latency-us")
    return arguments


def cluster(name, prefix, first, count, bandwidth_GBps, latency_us):
    return (f'    <cluster id="{name}" prefix="{prefix}-" suffix="" radical="{first}-{first + count - 1}" speed="1Gf" '
            f'bw="{bandwidth_GBps:g}GBps" lat="{latency_us:g}us" sharing_policy="SPLITDUPLEX" '
            f'router_id="router-{name}"/>')


def platform_lines(machine):
    nics_per_node = max(int(nic) for nic in machine.gpu_to_nic.split()) + 1
    nodes = machine.groups * machine.group_nodes
    group_nics = machine.group_nodes * nics_per_node
    properties = {
        "description": machine.description, "nodes": nodes, "gpus_per_node": machine.gpus_per_node,
        "nics_per_node": nics_per_node, "gpu_to_nic": machine.gpu_to_nic, "gpu_links": machine.gpu_links,
        "gpu": machine.gpu, "library": machine.library,
    }
    yield "<?xml version='1.0'?>"
    yield '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    yield "<!-- Written by write_platform.py. README.md explains the convention and has the source of every number. -->"
    yield '<platform version="4.1">'
    yield f'  <zone id="{machine.name}" routing="Floyd">'
    for key, value in properties.items():
        yield f'    <prop id="{key}" value="{value}"/>'
    yield ""
    yield cluster("in-node", "gpu", 0, nodes * machine.gpus_per_node, machine.port_GBps, machine.port_latency_us)
    yield ""
    yield '    <zone id="hub" routing="None"><router id="hub-router"/></zone>'
    yield ""
    for group in range(machine.groups):
        yield cluster(f"group{group}", "nic", group * group_nics, group_nics, machine.nic_GBps, machine.nic_latency_us)
    if machine.groups > 1:
        yield from global_links(machine)
    yield "  </zone>"
    yield "</platform>"


def global_links(machine):
    """One link per group, to the hub that joins them."""
    yield ""
    for group in range(machine.groups):
        yield (f'    <link id="global{group}" bandwidth="{machine.global_GBps:g}GBps" '
               f'latency="{machine.global_latency_us:g}us" sharing_policy="SPLITDUPLEX"/>')
    yield ""
    for group in range(machine.groups):
        yield (f'    <zoneRoute src="group{group}" dst="hub" gw_src="router-group{group}" gw_dst="hub-router">'
               f'<link_ctn id="global{group}" direction="UP"/></zoneRoute>')


if __name__ == "__main__":
    print("\n".join(platform_lines(parse_arguments())))
